import type { PageCheck, ResponseCheck } from './check.ts'

/** Milliseconds. */
const TTFB = 800
const RESPONSE = 3000
/** Bytes. */
const HTML = 2 * 1024 * 1024
const COMPRESSIBLE = 1024
const ELEMENTS = 1500
const DEPTH = 32

const TEXT = /^(text\/|application\/(json|javascript|xml|xhtml\+xml|rss\+xml|atom\+xml)|image\/svg)/

/** How quickly and how compactly an answer came. */
export const transferChecks: ResponseCheck[] = [
  {
    code: 'compression_missing',
    severity: 'minor',
    about: 'A text of more than 1 kB is sent uncompressed.',
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
    finds: ({ visit: { totalMs } }) => totalMs !== null && totalMs > RESPONSE,
    examples: { bad: [{ totalMs: 3001, html: '<p>text' }], good: [{ totalMs: 3000, html: '<p>text' }] },
  },
  {
    code: 'html_too_large',
    severity: 'moderate',
    about: 'The HTML has more than 2 MiB: search engines read no further.',
    finds: ({ visit: { bytes, truncated } }) => bytes > HTML || truncated,
    examples: { bad: [{ bytes: 2_097_153, html: '<p>text' }], good: [{ bytes: 2_097_152, html: '<p>text' }] },
  },
  {
    code: 'dom_too_large',
    severity: 'minor',
    about: 'The page has more than 1500 elements.',
    finds: ({ facts }) => facts.elements > ELEMENTS,
    examples: { bad: ['<br>'.repeat(1498)], good: ['<br>'.repeat(1497)] },
  },
  {
    code: 'dom_too_deep',
    severity: 'minor',
    about: 'Elements are nested more than 32 deep.',
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
]
