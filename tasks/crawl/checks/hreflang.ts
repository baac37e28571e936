import type { Page } from '../view.ts'
import type { PageCheck } from './check.ts'
import { isHreflang } from './codes.ts'

const own = 'https://example.test/page'
const alternates = (...pairs: [string, string][]) =>
  pairs.map(([lang, href]) => `<link rel="alternate" hreflang="${lang}" href="${href}">`).join('') +
  '<p>text</p>'
const good = alternates(['en', own], ['it', 'https://example.test/it'], ['x-default', own])

const set = ({ alternates }: Page) => alternates
const isSelf = (page: Page) => (alternate: { url: string | null }) => alternate.url === page.visit.url.href
const primary = (code: string) => code.split('-', 1)[0]!.toLowerCase()

/** Language versions as one page declares them. */
export const hreflangChecks: PageCheck[] = [
  {
    code: 'hreflang_invalid_code',
    severity: 'moderate',
    about: 'A hreflang is not x-default nor a language with optional script and region.',
    fix: 'Use an ISO 639-1 language, optionally with an ISO 3166-1 region, such as `en-GB`, or `x-default`.',
    finds: (page) => set(page).some(({ lang }) => !isHreflang(lang)),
    examples: {
      bad: [
        alternates(['en-UK', own]),
        alternates(['it_IT', own]),
        alternates([' en', own]),
        alternates(['', own]),
        alternates(['english', own]),
      ],
      good: [good, alternates(['EN-gb', own]), alternates(['zh-Hant-TW', own])],
    },
  },
  {
    code: 'hreflang_relative_url',
    severity: 'moderate',
    about: 'A hreflang address is not written as an absolute address.',
    fix: 'Write hreflang addresses in full, with scheme and host.',
    finds: (page) => set(page).some(({ href }) => !/^https?:/i.test(href)),
    examples: {
      bad: [alternates(['it', '/it'])],
      good: [good, '<link rel="alternate" type="application/rss+xml" href="/feed">'],
    },
  },
  {
    code: 'hreflang_self_missing',
    severity: 'minor',
    about: 'The language versions of the page do not include the page itself.',
    fix: 'List the page itself among its language versions.',
    finds: (page) => set(page).length > 0 && !set(page).some(isSelf(page)),
    examples: { bad: [alternates(['it', 'https://example.test/it'])], good: [good, '<p>none</p>'] },
  },
  {
    code: 'hreflang_x_default_missing',
    severity: 'minor',
    about: 'The language versions of the page have no x-default.',
    fix: 'Add a version with `hreflang="x-default"` for all other visitors.',
    finds: (page) =>
      set(page).length > 0 && !set(page).some(({ lang }) => lang.toLowerCase() === 'x-default'),
    examples: { bad: [alternates(['en', own])], good: [good, alternates(['X-Default', own]), '<p>none</p>'] },
  },
  {
    code: 'hreflang_canonical_conflict',
    severity: 'moderate',
    about: 'The canonical address is another language version of the page.',
    fix: 'Make every language version its own canonical page.',
    finds: (page) => page.isCanonicalised && set(page).some(({ url }) => url === page.canonical),
    examples: {
      bad: [`<link rel=canonical href="https://example.test/it">${good}`],
      good: [
        `<link rel=canonical href="${own}">${good}`,
        `<link rel=canonical href="https://example.test/print">${good}`,
      ],
    },
  },
  {
    code: 'hreflang_lang_mismatch',
    severity: 'minor',
    about: 'The hreflang of the page itself is another language than its lang attribute.',
    fix: 'Make the page’s hreflang and its lang attribute name the language it is written in.',
    finds(page) {
      const { lang } = page.facts
      if (lang === null) return false
      const codes = set(page)
        .filter(isSelf(page))
        .map((alternate) => alternate.lang)
        .filter((code) => code.toLowerCase() !== 'x-default')
      return codes.length > 0 && codes.every((code) => primary(code) !== primary(lang))
    },
    examples: {
      bad: [`<html lang="de">${good}`],
      good: [`<html lang="en-US">${good}`, good, `<html lang=de>${alternates(['x-default', own])}`],
    },
  },
  {
    code: 'hreflang_duplicate_code',
    severity: 'minor',
    about: 'One hreflang is declared for several addresses.',
    fix: 'Keep one address for each hreflang.',
    finds(page) {
      const urls = new Map<string, string | null>()
      return set(page).some(({ lang, url }) => {
        const known = urls.get(lang.toLowerCase())
        urls.set(lang.toLowerCase(), url)
        return known !== undefined && known !== url
      })
    },
    examples: {
      bad: [alternates(['it', 'https://example.test/a'], ['IT', 'https://example.test/b'])],
      good: [good, alternates(['en', own], ['en', own])],
    },
  },
  {
    code: 'hreflang_outside_head',
    severity: 'moderate',
    about: 'Hreflang links stand in the body, where they count for nothing.',
    fix: 'Move the hreflang links into the head, and whatever ends the head early behind them.',
    finds: ({ facts }) => facts.strayAlternates > 0,
    examples: { bad: [`<p>text</p>${good}`], good: [good, `<p>text</p><link rel=stylesheet href=a.css>`] },
  },
]
