import type { PageCheck } from './check.ts'

const canonical = (href: string) => `<link rel="canonical" href="${href}"><p>text</p>`
const own = 'https://example.test/page'

const host = (url: string) => new URL(url).host.replace(/^www\./, '')
const path = (url: string) => new URL(url).pathname

/** Canonical addresses as one page declares them; what they lead to is judged over the whole site. */
export const canonicalChecks: PageCheck[] = [
  {
    code: 'canonical_missing',
    severity: 'minor',
    of: 'indexable',
    about: 'The page declares no canonical address.',
    fix: 'Add `<link rel="canonical" href="…">` with the page’s own absolute address to the head.',
    finds: ({ facts, headerCanonical }) => facts.canonicals.length === 0 && headerCanonical === null,
    examples: {
      bad: ['<p>text</p>', `<p>text</p><link rel="canonical" href="${own}">`],
      good: [
        canonical(own),
        { headers: { link: `<${own}>; rel="canonical"` }, html: '<p>text</p>' },
        '<meta name=robots content=noindex>',
      ],
    },
  },
  {
    code: 'canonical_multiple',
    severity: 'moderate',
    about: 'The page declares different canonical addresses: search engines heed none.',
    fix: 'Keep one canonical tag with the address that should rank and delete the others.',
    finds: ({ facts }) => new Set(facts.canonicals.map(({ url, href }) => url ?? href)).size > 1,
    examples: {
      bad: ['<link rel=canonical href=/a><link rel=canonical href=/b>'],
      good: [`<link rel=canonical href=/page><link rel=canonical href="${own}">`],
    },
  },
  {
    code: 'canonical_invalid',
    severity: 'moderate',
    about: 'The canonical address is not a valid web address.',
    fix: 'Write a full https address into the canonical tag.',
    finds: ({ facts }) => facts.canonicals.some(({ url }) => url === null),
    examples: {
      bad: [canonical('https://'), canonical('javascript:void(0)')],
      good: [canonical(own), canonical('/page')],
    },
  },
  {
    code: 'canonical_relative',
    severity: 'minor',
    about: 'The canonical address is not written as an absolute address.',
    fix: 'Write the canonical address in full, with scheme and host.',
    finds: ({ facts }) => facts.canonicals.some(({ href }) => !/^[a-z][a-z0-9+.-]*:/i.test(href)),
    examples: {
      bad: [canonical('/page'), canonical('//example.test/page')],
      good: [canonical(own), canonical('HTTPS://example.test/page')],
    },
  },
  {
    code: 'canonical_header_conflict',
    severity: 'moderate',
    about: 'The Link header declares another canonical address than the page.',
    fix: 'Make header and tag name the same address, or send only one of them.',
    finds: ({ facts, headerCanonical }) => {
      const declared = facts.canonicals[0]?.url ?? null
      return declared !== null && headerCanonical !== null && declared !== headerCanonical
    },
    examples: {
      bad: [{ headers: { link: '<https://example.test/b>; rel="canonical"' }, html: canonical(own) }],
      good: [{ headers: { link: '</page>; rel=canonical, </x.css>; rel=preload' }, html: canonical(own) }],
    },
  },
  {
    code: 'canonicalized',
    severity: 'minor',
    scored: false,
    about: 'The canonical address is another page: this one is not meant to be found.',
    fix: 'Nothing, if this page is a duplicate; otherwise point the canonical tag at the page itself.',
    finds: ({ isCanonicalised }) => isCanonicalised,
    examples: {
      bad: [canonical('https://example.test/other'), canonical('/page/')],
      good: [canonical(own), canonical('/page#top'), '<p>none</p>'],
    },
  },
  {
    code: 'canonical_offsite',
    severity: 'moderate',
    about: 'The canonical address is on another host.',
    fix: 'Point the canonical tag at an address of this site, unless the other site really is the original.',
    finds: ({ canonical, visit: { url } }) => canonical !== null && host(canonical) !== host(url.href),
    examples: {
      bad: [canonical('https://other.test/page')],
      good: [canonical('https://www.example.test/page'), canonical(own)],
    },
  },
  {
    code: 'canonical_to_http',
    severity: 'moderate',
    about: 'An https page declares an http address as canonical.',
    fix: 'Change the canonical address to https.',
    finds: ({ canonical, visit: { url } }) =>
      url.protocol === 'https:' && canonical !== null && canonical.startsWith('http:'),
    examples: { bad: [canonical('http://example.test/page')], good: [canonical(own)] },
  },
  {
    code: 'canonical_to_root',
    severity: 'moderate',
    about: 'An inner page declares the home page as its canonical address.',
    fix: 'Point the canonical tag at the page itself instead of the home page.',
    finds: ({ canonical, visit: { url } }) =>
      canonical !== null &&
      host(canonical) === host(url.href) &&
      path(canonical) === '/' &&
      new URL(canonical).search === '' &&
      url.pathname !== '/',
    examples: {
      bad: [canonical('https://example.test/')],
      good: [canonical(own), { url: 'https://example.test/?a=1', html: canonical('/') }],
    },
  },
]
