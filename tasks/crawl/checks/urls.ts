import type { PageCheck } from './check.ts'

/** Characters. */
const LONG = 115
const PARAMETERS = 4

const at = (path: string) => ({ url: `https://example.test${path}`, html: '<p>text</p>' })
/** The path without percent-encoded bytes, whose hexadecimal letters say nothing. */
const plain = (url: URL) => url.pathname.replace(/%[0-9a-f]{2}/gi, '')

/** Addresses that are hard to read, to type or to tell apart. */
export const urlChecks: PageCheck[] = [
  {
    code: 'url_too_long',
    severity: 'minor',
    about: 'The address has more than 115 characters.',
    fix: 'Shorten the address to its essential words and redirect the old one.',
    finds: ({ visit: { url } }) => url.href.length > LONG,
    examples: { bad: [at(`/${'x'.repeat(95)}`)], good: [at(`/${'x'.repeat(94)}`)] },
  },
  {
    code: 'url_underscore',
    severity: 'minor',
    about: 'The path has underscores, which search engines do not read as spaces.',
    fix: 'Use hyphens in new addresses; redirect old ones only when they change anyway.',
    finds: ({ visit: { url } }) => url.pathname.includes('_'),
    examples: { bad: [at('/red_shoes')], good: [at('/red-shoes?a_b=1')] },
  },
  {
    code: 'url_uppercase',
    severity: 'minor',
    about: 'The path has capital letters: addresses that differ in case are different pages.',
    fix: 'Use lower case and redirect other spellings to it.',
    finds: ({ visit: { url } }) => /[A-Z]/.test(plain(url)),
    examples: { bad: [at('/Shoes')], good: [at('/shoes?A=1'), at('/citt%C3%A0')] },
  },
  {
    code: 'url_space',
    severity: 'minor',
    about: 'The path has a space.',
    fix: 'Replace spaces with hyphens and redirect the old address.',
    finds: ({ visit: { url } }) => url.pathname.includes('%20'),
    examples: { bad: [at('/red shoes'), at('/red%20shoes')], good: [at('/red-shoes?q=a%20b')] },
  },
  {
    code: 'url_multiple_slashes',
    severity: 'minor',
    about: 'The path has an empty segment.',
    fix: 'Correct the links that double the slash and redirect the address.',
    finds: ({ visit: { url } }) => url.pathname.includes('//'),
    examples: { bad: [at('/shoes//red')], good: [at('/shoes/red/?to=https://a.test')] },
  },
  {
    code: 'url_repetitive_path',
    severity: 'minor',
    about: 'The path repeats a segment, as endless relative links make it.',
    fix: 'Make the relative links that build the address start with a slash, and answer others with 404.',
    finds: ({ visit: { url } }) => repeats(url.pathname.split('/').filter(Boolean)),
    examples: { bad: [at('/shop/shop/a'), at('/a/b/a/b/a')], good: [at('/shop/red/shop'), at('/')] },
  },
  {
    code: 'url_non_ascii',
    severity: 'minor',
    about: 'The path has characters beyond ASCII, which show up percent-encoded.',
    fix: 'Transliterate new addresses to ASCII.',
    finds: ({ visit: { url } }) => /%[89a-f][0-9a-f]/i.test(url.pathname),
    examples: { bad: [at('/città'), at('/citt%C3%A0')], good: [at('/citta'), at('/a%2Fb')] },
  },
  {
    code: 'url_many_parameters',
    severity: 'minor',
    about: 'The address has more than four parameters.',
    fix: 'Move what identifies the page into the path, and drop the other parameters.',
    finds: ({ visit: { url } }) =>
      url.search !== '' && url.search.slice(1).split('&').filter(Boolean).length > PARAMETERS,
    examples: { bad: [at('/?a=1&b=2&c=3&d=4&e=5')], good: [at('/?a=1&b=2&c=3&d=4&'), at('/')] },
  },
]

const repeats = (segments: string[]) =>
  segments.some((segment, i) => segment === segments[i - 1]) ||
  segments.some((segment) => segments.filter((other) => other === segment).length >= 3)
