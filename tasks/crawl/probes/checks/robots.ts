import { parseRobots } from '../../../robots.ts'
import { robotsFaults } from '../robots-lint.ts'
import type { ProbeCheck } from './check.ts'

/** Google reads no more of a robots.txt, and neither does this crawler. */
const BYTES = 500 * 1024

const isServed = ({ status }: { status: number }) => status >= 200 && status < 300

export const robotsChecks: ProbeCheck[] = [
  {
    code: 'robots_txt_blocks_all',
    severity: 'major',
    about: 'robots.txt keeps Google from the start page, and so from the whole site.',
    fix: 'Remove `Disallow: /` from the group that search engines obey, or add `Allow: /` for them.',
    finds: ({ robots }) => isServed(robots) && !parseRobots(robots.text).allows('/', 'Googlebot'),
    examples: {
      bad: [
        { robots: 'User-agent: *\nDisallow: /' },
        { robots: 'user-agent: googlebot\ndisallow: /\n\nuser-agent: *\nallow: /' },
        { robots: 'User-agent: *\nDisallow: /*' },
      ],
      good: [
        { robots: 'User-agent: *\nDisallow: /\nAllow: /' },
        { robots: 'User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow:' },
        { robots: 'User-agent: *\nDisallow: /private/' },
        { robots: 'User-agent: BadBot\nDisallow: /' },
        {},
      ],
    },
  },
  {
    code: 'robots_txt_invalid',
    severity: 'moderate',
    about: 'A line of robots.txt means nothing to search engines: they skip it.',
    fix: 'Write every line as `Name: value`, rules after a `User-agent` line, paths with a leading `/`, sitemaps with their whole address.',
    finds: ({ robots }) => isServed(robots) && robotsFaults(robots.text).length > 0,
    examples: {
      bad: [
        { robots: 'Disallow: /private' },
        { robots: 'User-agent: *\nDissalow: /private' },
        { robots: 'User-agent: *\nDisallow: private' },
        { robots: 'User-agent: *\nDisallow: /a$b' },
        { robots: 'User-agent:\nDisallow: /' },
        { robots: 'Sitemap: /sitemap.xml' },
        { robots: '<!doctype html>\n<title>Welcome</title>' },
      ],
      good: [
        {
          robots:
            '# Rules\r\nUser-agent: *\r\nCrawl-delay: 10\r\nDisallow: /*.pdf$\r\nAllow:\r\n\r\nsitemap: https://example.test/s.xml',
        },
        { robots: 'User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /' },
        { robots: '' },
      ],
    },
  },
  {
    code: 'robots_txt_too_large',
    severity: 'minor',
    about: 'robots.txt has 500 KiB or more: search engines read no further.',
    fix: 'Merge rules with wildcards until the file is well below 500 KiB.',
    finds: ({ robots }) => isServed(robots) && Buffer.byteLength(robots.text) >= BYTES,
    examples: {
      bad: [{ robots: '#'.repeat(512_000) }],
      good: [{ robots: '#'.repeat(511_999) }],
    },
  },
  {
    code: 'robots_txt_no_sitemap',
    severity: 'minor',
    about: 'The site has a sitemap, but robots.txt does not name it.',
    fix: 'Add a line `Sitemap:` with the whole address of the sitemap to robots.txt.',
    finds: ({ robots, sitemaps }) =>
      isServed(robots) &&
      sitemaps !== null &&
      sitemaps.named === 0 &&
      sitemaps.files.some(({ state }) => state === 'read' || state === 'invalid'),
    examples: {
      bad: [
        { sitemaps: { named: 0, files: [file()], offsite: 0, insecure: 0 } },
        { sitemaps: { named: 0, files: [{ ...file(), state: 'invalid' }], offsite: 0, insecure: 0 } },
      ],
      good: [
        { sitemaps: { named: 1, files: [file()], offsite: 0, insecure: 0 } },
        { sitemaps: { named: 0, files: [{ ...file(), state: 'missing' }], offsite: 0, insecure: 0 } },
        {},
      ],
    },
  },
]

function file() {
  return { url: 'https://example.test/sitemap.xml', state: 'read', large: false, urls: 3 } as const
}
