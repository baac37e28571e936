import type { PageCheck } from './check.ts'

/** Words of the main text. */
const THIN = 200
/** Share of the HTML that is text. */
const TEXT_RATIO = 0.1
/** Characters of HTML from which the share says something. */
const RATIO_FROM = 2000

const words = (count: number) => 'word '.repeat(count)

export const contentChecks: PageCheck[] = [
  {
    code: 'content_thin',
    severity: 'moderate',
    of: 'indexable',
    about: 'The main text, without navigation and footer, has fewer than 200 words.',
    fix: 'Write what visitors of this page look for, or merge it into another page and redirect.',
    finds: ({ facts }) => facts.text.mainWords < THIN,
    examples: {
      bad: [
        `<p>${words(199)}</p>`,
        `<nav>${words(300)}</nav><p>${words(100)}</p><footer>${words(300)}</footer>`,
        `<p>text</p><script>${words(300)}</script><template>${words(300)}</template><textarea>${words(300)}</textarea>`,
        `<p>text</p><noscript>${words(300)}</noscript><style>${words(300)}</style>`,
      ],
      good: [
        `<p>${words(200)}</p>`,
        `<p>${'これは日本語の文章です。'.repeat(80)}</p>`,
        { status: 404, html: null },
      ],
    },
  },
  {
    code: 'content_text_ratio_low',
    severity: 'minor',
    about: 'Less than a tenth of the HTML is text.',
    fix: 'Move scripts and styles into files of their own and drop markup nobody sees.',
    finds: ({ facts }) =>
      facts.htmlLength >= RATIO_FROM && facts.text.length <= TEXT_RATIO * facts.htmlLength,
    examples: {
      bad: [`<p>short</p><script>${'x'.repeat(2000)}</script>`],
      good: [
        `<p>${words(300)}</p>`,
        '<p>a small page</p><div></div><div></div><div></div><div></div><div></div>',
      ],
    },
  },
  {
    code: 'content_lorem_ipsum',
    severity: 'moderate',
    about: 'The page shows placeholder text.',
    fix: 'Replace the placeholder text with real text, or unpublish the page.',
    finds: ({ facts }) => facts.text.placeholder,
    examples: {
      bad: ['<p>Lorem\n ipsum dolor</p>', '<p><b>lorem</b> ipsum</p>'],
      good: ['<p>Ipsum lorem</p>', '<script>"lorem ipsum"</script>'],
    },
  },
  {
    code: 'content_encoding_damage',
    severity: 'moderate',
    about: 'The text has characters that were broken by a wrong character encoding.',
    fix: 'Store, send and declare the text as UTF-8, and correct the characters that are damaged already.',
    finds: ({ facts }) => facts.text.damaged,
    examples: {
      bad: ['<p>perch\ufffd</p>', '<p>perchÃ©</p>', '<p>itâ€™s</p>'],
      good: ['<p>perché, it’s SÃO PAULO, â l’aise</p>'],
    },
  },
  {
    code: 'content_plugin',
    severity: 'minor',
    about: 'The page uses Flash, Silverlight or Java, which no browser runs any more.',
    fix: 'Replace the plug-in with HTML, `<video>` or `<audio>`.',
    finds: ({ facts }) => facts.plugins > 0,
    examples: {
      bad: [
        '<embed src="intro.swf">',
        '<object type="application/x-silverlight-2" data="x"></object>',
        '<applet code=a></applet>',
      ],
      good: [
        '<object type="image/svg+xml" data="a.svg"></object>',
        '<embed type="application/pdf" src="a.pdf">',
      ],
    },
  },
  {
    code: 'content_frames',
    severity: 'minor',
    about: 'The page is built of frames.',
    fix: 'Rebuild the page as one document without frames.',
    finds: ({ facts }) => facts.frames > 0,
    examples: {
      bad: ['<frameset><frame src="a.html"></frameset>'],
      good: ['<p>text</p><iframe src="a.html"></iframe>'],
    },
  },
  {
    code: 'content_deprecated_html',
    severity: 'minor',
    about: 'The page uses elements that are no longer part of HTML, such as font or center.',
    fix: 'Replace the elements with current ones and style them with CSS.',
    finds: ({ facts }) => facts.deprecated > 0,
    examples: {
      bad: ['<font color=red>text</font>', '<CENTER>text</CENTER>'],
      good: ['<p>text</p>', '<template><font>x</font></template>'],
    },
  },
  {
    code: 'soft_404',
    severity: 'moderate',
    about: 'The page says that it is not there and answers with success all the same.',
    fix: 'Answer with 404 or 410 when there is nothing to show, or restore the page.',
    finds: ({ isMissing }) => isMissing,
    examples: {
      bad: [
        '<title>404 - Page not found</title><h1>Page not found</h1>',
        '<title>Pagina non trovata | Negozio</title><p>Torna alla home</p>',
        `<title>Shop</title><h1>Sorry, this page does not exist</h1><meta name=robots content=noindex><p>${words(60)}`,
        `<html id="__next_error__"><title>Shop</title><p>Oops`,
        `<title>Shop</title><body class="home error404"><h1>Articolo non disponibile</h1>${words(60)}`,
      ],
      good: [
        `<title>How to repair 404 errors</title><h1>Broken links</h1><p>${words(300)}</p>`,
        `<title>The lost page</title><h1>What was found</h1><p>short</p>`,
        `<title>Peugeot 404</title><h1>A car of the sixties</h1><p>${words(100)}</p>`,
        '<title>Shop</title><h1>Shoes</h1><meta name=robots content=noindex><p>short</p>',
        { status: 404, html: '<title>404 Not found</title>' },
      ],
    },
  },
]
