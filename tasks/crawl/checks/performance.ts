import type { PageCheck, ResponseCheck } from './check.ts'

/** Milliseconds. */
const TTFB = 800
const RESPONSE = 3000
/** Bytes. */
const HTML = 2 * 1024 * 1024
const COMPRESSIBLE = 1024
const ELEMENTS = 1500
/** Scripts and style sheets. */
const BLOCKING = 3
const DEPTH = 32

const TEXT = /^(text\/|application\/(json|javascript|xml|xhtml\+xml|rss\+xml|atom\+xml)|image\/svg)/

/** How quickly and how compactly an answer came. */
export const transferChecks: ResponseCheck[] = [
  {
    code: 'compression_missing',
    severity: 'minor',
    about: 'A text of more than 1 kB is sent uncompressed.',
    fix: 'Switch on Brotli or gzip for text in the server or CDN.',
    finds: ({ ok, visit: { contentType, bytes, headers } }) =>
      ok &&
      bytes > COMPRESSIBLE &&
      TEXT.test(contentType ?? '') &&
      !/gzip|br|deflate|zstd/i.test(headers['content-encoding'] ?? ''),
    examples: {
      bad: [
        { bytes: 1025, html: '<p>text' },
        { bytes: 5000, contentType: 'application/json', html: null },
      ],
      good: [
        { bytes: 1024, html: '<p>text' },
        { bytes: 5000, headers: { 'content-encoding': 'br' }, html: '<p>text' },
        { bytes: 5000, contentType: 'image/png', html: null },
      ],
    },
  },
]

export const performanceChecks: PageCheck[] = [
  {
    code: 'ttfb_slow',
    severity: 'minor',
    about: 'The first byte of the page took more than 800 ms.',
    fix: 'Cache the page near its readers, and look for slow queries behind it.',
    finds: ({ visit: { ttfbMs } }) => ttfbMs !== null && ttfbMs > TTFB,
    examples: {
      bad: [{ ttfbMs: 801, html: '<p>text' }],
      good: [{ ttfbMs: 800, html: '<p>text' }, '<p>text'],
    },
  },
  {
    code: 'response_slow',
    severity: 'moderate',
    about: 'The whole page took more than 3 seconds.',
    fix: 'Speed up the server’s work and make the answer smaller.',
    finds: ({ visit: { totalMs } }) => totalMs !== null && totalMs > RESPONSE,
    examples: { bad: [{ totalMs: 3001, html: '<p>text' }], good: [{ totalMs: 3000, html: '<p>text' }] },
  },
  {
    code: 'html_too_large',
    severity: 'moderate',
    about: 'The HTML has more than 2 MiB: search engines read no further.',
    fix: 'Move inline data, styles and scripts into files, and split long lists over pages.',
    finds: ({ visit: { bytes, truncated } }) => bytes > HTML || truncated,
    examples: { bad: [{ bytes: 2_097_153, html: '<p>text' }], good: [{ bytes: 2_097_152, html: '<p>text' }] },
  },
  {
    code: 'dom_too_large',
    severity: 'minor',
    about: 'The page has more than 1500 elements.',
    fix: 'Show fewer elements at first and load the rest on demand.',
    finds: ({ facts }) => facts.elements > ELEMENTS,
    examples: { bad: ['<br>'.repeat(1498)], good: ['<br>'.repeat(1497)] },
  },
  {
    code: 'dom_too_deep',
    severity: 'minor',
    about: 'Elements are nested more than 32 deep.',
    fix: 'Remove wrapper elements that are there for layout alone.',
    finds: ({ facts }) => facts.depth > DEPTH,
    examples: {
      bad: ['<div>'.repeat(31), '<div>'.repeat(10_000)],
      good: [
        '<div>'.repeat(30),
        '<p>unclosed'.repeat(100),
        `<ul>${'<li>unclosed'.repeat(100)}</ul>`,
        `<table>${'<tr><td>x'.repeat(100)}</table>`,
      ],
    },
  },

  {
    code: 'render_blocking',
    severity: 'minor',
    about: 'More than three scripts and style sheets in the head hold up the page.',
    fix: 'Load scripts with defer or async, and put the styles of the first screen into the page or into one file.',
    finds: ({ facts }) => facts.blocking > BLOCKING,
    examples: {
      bad: [
        '<script src=a></script><script src=b></script><link rel=stylesheet href=c><link rel=stylesheet href=d>',
      ],
      good: [
        '<script src=a></script><script src=b></script><link rel=stylesheet href=c>',
        '<script src=a defer></script><script src=b async></script><script src=c type=module></script><script src=d nomodule></script>',
        `<body>${'<script src=a></script>'.repeat(9)}`,
        '<link rel=stylesheet href=a media=print>'.repeat(9),
        '<link rel="alternate stylesheet" href=a>'.repeat(9),
      ],
    },
  },
  {
    code: 'assets_unminified',
    severity: 'minor',
    about: 'A script or style sheet in the page is not minified.',
    fix: 'Let the build minify what it writes into the page.',
    finds: ({ facts }) => facts.unminified > 0,
    examples: {
      bad: [
        `<script>${'  if (a) {\n    b()\n  }\n'.repeat(100)}</script>`,
        `<style>${'.a {\n  color: red;\n}\n'.repeat(120)}</style>`,
        `<script>${'a()/* why */;'.repeat(200)}</script>`,
      ],
      good: [
        `<script>${'if(a){b()};'.repeat(300)}</script>`,
        `<script>/*! ${'licence '.repeat(50)}*/${'if(a){b()};'.repeat(300)}</script>`,
        `<script>${'  if (a) {\n    b()\n  }\n'.repeat(10)}</script>`,
        `<script type="application/json">${'{\n    "a": 1\n}\n'.repeat(300)}</script>`,
        `<script>${"a='https://example.test/',b=1;".repeat(100)}</script>`,
      ],
    },
  },
]
