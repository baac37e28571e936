import { sql } from '../../../../sql/pool.ts'
import type { SiteFacts } from '../../../../sql/probes.ts'
import type { ProbeCheck } from './check.ts'

type Sitemaps = NonNullable<SiteFacts['sitemaps']>
type File = Sitemaps['files'][number]

const file = (given: Partial<File> = {}): File => ({
  url: 'https://example.test/sitemap.xml',
  state: 'read',
  large: false,
  urls: 3,
  ...given,
})
const sitemaps = (files: File[], given: Partial<Sitemaps> = {}) => ({
  sitemaps: { named: 1, files, offsite: 0, insecure: 0, ...given },
})

/** What is wrong with the sitemaps as files; their addresses are judged page by page. */
export const sitemapFileChecks: ProbeCheck[] = [
  {
    code: 'sitemap_missing',
    severity: 'moderate',
    about: 'robots.txt names no sitemap, and there is none at the usual addresses.',
    fix: 'Let your CMS write a sitemap of the pages that should be found, and name it in robots.txt.',
    finds: ({ sitemaps }) =>
      sitemaps !== null && sitemaps.named === 0 && sitemaps.files.every(({ state }) => state === 'missing'),
    examples: {
      bad: [sitemaps([file({ state: 'missing' })], { named: 0 })],
      good: [
        sitemaps([file()], { named: 0 }),
        sitemaps([file({ state: 'unknown' })], { named: 0 }),
        sitemaps([file({ state: 'missing' })]),
        {},
      ],
    },
  },
  {
    code: 'sitemap_invalid',
    severity: 'moderate',
    about:
      'A sitemap cannot be read as one: it is not there, is no well-formed XML, or has addresses or dates that are none.',
    fix: 'Check the file with an XML validator, write whole addresses and dates like 2026-01-31, and name only files that exist.',
    finds: ({ sitemaps }) =>
      sitemaps !== null &&
      sitemaps.files.some(({ state }) => state === 'invalid' || (sitemaps.named > 0 && state === 'missing')),
    examples: {
      bad: [sitemaps([file(), file({ state: 'invalid' })]), sitemaps([file({ state: 'missing' })])],
      good: [
        sitemaps([file()]),
        sitemaps([file({ state: 'missing' })], { named: 0 }),
        sitemaps([file({ state: 'unknown' })]),
        {},
      ],
    },
  },
  {
    code: 'sitemap_too_large',
    severity: 'moderate',
    about: 'A sitemap has more than 50,000 addresses or 50 MB: search engines refuse it.',
    fix: 'Divide it into several files and list these in a sitemap index.',
    finds: ({ sitemaps }) => sitemaps !== null && sitemaps.files.some(({ large }) => large),
    examples: { bad: [sitemaps([file({ large: true })])], good: [sitemaps([file({ urls: 50_000 })]), {}] },
  },
  {
    code: 'sitemap_url_offsite',
    severity: 'moderate',
    about: 'A sitemap lists addresses of another host: search engines skip them.',
    fix: 'List only addresses of the sitemap’s own host, and give every other host a sitemap of its own.',
    finds: ({ sitemaps }) => sitemaps !== null && sitemaps.offsite > 0,
    examples: { bad: [sitemaps([file()], { offsite: 1 })], good: [sitemaps([file()]), {}] },
  },
  {
    code: 'sitemap_url_http',
    severity: 'minor',
    about: 'A sitemap of an https site lists addresses with http.',
    fix: 'Write all addresses of the sitemap with https.',
    finds: ({ sitemaps, start }) =>
      sitemaps !== null && sitemaps.insecure > 0 && start.url.startsWith('https:'),
    pages: (crawlId) => sql.fragment`
      select id from pages where crawl_id = ${crawlId} and in_sitemap and url like 'http:%'`,
    examples: {
      bad: [sitemaps([file()], { insecure: 1 })],
      good: [
        sitemaps([file()]),
        { ...sitemaps([file()], { insecure: 1 }), start: { url: 'http://example.test/' } },
        {},
      ],
    },
  },
]
