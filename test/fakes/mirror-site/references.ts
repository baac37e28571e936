import { css, type Definitions, page } from './definition.ts'

/** Every way in which a page loads something, with what it loads. */
const head: [markup: string, needs: string[]][] = [
  ['<link rel="stylesheet" href="/css/main.css">', ['/css/main.css']],
  ['<link rel="alternate stylesheet" title="Other" href="/css/alternate.css">', ['/css/alternate.css']],
  ['<link rel="icon" href="/img/icon.png">', ['/img/icon.png']],
  ['<link rel="shortcut icon" href="/img/favicon.ico">', ['/img/favicon.ico']],
  ['<link rel="apple-touch-icon" href="/img/touch.png">', ['/img/touch.png']],
  ['<link rel="mask-icon" href="/img/mask.svg">', ['/img/mask.svg']],
  ['<link rel="manifest" href="/site.webmanifest">', ['/site.webmanifest']],
  ['<link rel="preload" as="font" href="/fonts/preloaded.woff2" crossorigin>', ['/fonts/preloaded.woff2']],
  ['<link rel="modulepreload" href="/js/preloaded.mjs">', ['/js/preloaded.mjs']],
  ['<script src="/js/classic.js"></script>', ['/js/classic.js']],
  ['<script type="module" src="/js/module.mjs"></script>', ['/js/module.mjs']],
  [
    '<style>@import "/css/from-element.css"; b { background: url(/img/style-element.png) }</style>',
    ['/css/from-element.css', '/img/style-element.png'],
  ],
  ['<script src="{cdn}/lib.js"></script>', ['cdn:/lib.js']],
  ['<link rel="stylesheet" href="{cdn}/theme/theme.css">', ['cdn:/theme/theme.css']],
]
const body: [markup: string, needs: string[]][] = [
  ['<img src="/img/plain.png" alt="">', ['/img/plain.png']],
  ['<img src="img/relative.png?v=2#top" alt="">', ['/img/relative.png?v=2']],
  ['<IMG SRC=/img/unquoted.png>', ['/img/unquoted.png']],
  [
    '<img src="/img/fallback.jpg" srcset="/img/w480.jpg 480w, /img/w960.jpg 960w" alt="">',
    ['/img/fallback.jpg', '/img/w480.jpg', '/img/w960.jpg'],
  ],
  [
    '<picture><source srcset="/img/p.avif" type="image/avif"><source srcset="/img/p.webp, /img/p2.webp 2x"><img src="/img/p.jpg"></picture>',
    ['/img/p.avif', '/img/p.webp', '/img/p2.webp', '/img/p.jpg'],
  ],
  [
    '<video src="/media/film.mp4" poster="/img/poster.jpg"><track src="/media/captions.vtt" srclang="en"></video>',
    ['/media/film.mp4', '/img/poster.jpg', '/media/captions.vtt'],
  ],
  ['<video><source src="/media/film.webm" type="video/webm"></video>', ['/media/film.webm']],
  ['<audio src="/media/song.mp3"></audio>', ['/media/song.mp3']],
  ['<audio><source src="/media/song.ogg"></audio>', ['/media/song.ogg']],
  ['<object data="/img/object.svg" type="image/svg+xml"></object>', ['/img/object.svg']],
  ['<embed src="/media/embedded.pdf">', ['/media/embedded.pdf']],
  ['<input type="image" src="/img/button.png">', ['/img/button.png']],
  [
    '<svg><image href="/img/in-svg.png"/><image xlink:href="/img/in-svg-old.png"/><use href="/img/sprite.svg#icon"/></svg>',
    ['/img/in-svg.png', '/img/in-svg-old.png', '/img/sprite.svg'],
  ],
  ['<p style="background: url(&quot;/img/inline-style.png&quot;)">', ['/img/inline-style.png']],
  ['<table background="/img/old-background.gif"><tr><td>1</table>', ['/img/old-background.gif']],
  ['<iframe src="/framed.html"></iframe>', ['/framed.html']],
  [
    '<img class="lazy" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="/img/lazy.png">',
    ['/img/lazy.png'],
  ],
  [
    '<img class="lazy" data-srcset="/img/lazy-480.png 480w, /img/lazy-960.png 960w">',
    ['/img/lazy-480.png', '/img/lazy-960.png'],
  ],
  ['<img src="{cdn}/photo.jpg" alt="">', ['cdn:/photo.jpg']],
]
const markup = (rows: typeof body) => rows.map(([html]) => html).join('\n')

export const references: Definitions = {
  '/references': page(
    'Every kind of reference',
    `${markup(body)}
<a href="https://elsewhere.test/page?a=1#b">Another site</a> <a href="{cdn}/page.html">Another host</a>
<a href="mailto:a@example.test">Mail</a> <a href="#top">Top</a> <a href="javascript:void 0">Script</a>
<a href="/#news">News</a> <!-- <img src="/img/in-comment.png"> --> <pre>&lt;img src="/img/in-text.png"></pre>
<script>const html = '<img src="/img/in-script.png">'</script>`,
    { needs: [...head, ...body].flatMap(([, needs]) => needs), links: ['/'] },
    { head: markup(head) },
  ),
  '/framed.html': page('Inside a frame', '<img src="img/in-frame.png" alt="">', {
    needs: ['/img/in-frame.png'],
  }),
  '/css/main.css': css(
    `@charset "utf-8"; @import "second.css"; @import url(third.css) screen and (min-width: 1px);
/* url(/img/in-css-comment.png) */
body { background: url( '../img/quoted.png' ) } p::after { content: "url(/img/in-css-string.png)" }
b { background: url(../img/esc\\61 ped.png) } i { background: image-set("/img/set.png" 1x, url(/img/set2.png) 2x) }
u { background: url(data:image/png;base64,AAAA) }`,
    [
      '/css/second.css',
      '/css/third.css',
      '/img/quoted.png',
      '/img/escaped.png',
      '/img/set.png',
      '/img/set2.png',
    ],
  ),
  '/css/second.css': css('@font-face { font-family: A; src: url(/fonts/a.woff2) format("woff2") }', [
    '/fonts/a.woff2',
  ]),
  '/css/third.css': css('@import url("deep/fourth.css");', ['/css/deep/fourth.css']),
  // Around in a circle.
  '/css/deep/fourth.css': css('@import "../main.css"; b { src: url(../../fonts/deep.woff2) }', [
    '/css/main.css',
    '/fonts/deep.woff2',
  ]),
  'cdn:/theme/theme.css': css('@font-face { font-family: T; src: url(fonts/theme.woff2) }', [
    'cdn:/theme/fonts/theme.woff2',
  ]),
  'cdn:/page.html': page('A page of another host', ''),
}
