import type { Page } from '../view.ts'
import type { PageCheck } from './check.ts'

const DAY = 86_400_000
/** Days: two years. */
const OLD = 730
const ARTICLE = /^(\w*Article|\w*Posting|Report)$/

const article = (properties: Record<string, string>, rest = '') =>
  `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', '@type': 'Article', ...properties })}</script>${rest}<p>text</p>`
const meta = (name: string, content: string) => `<meta property="article:${name}" content="${content}">`
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString()

const isArticle = ({ facts: { schema, openGraph } }: Page) =>
  schema.types.some((type) => ARTICLE.test(type)) || openGraph['type'] === 'article'

const newest = (dates: readonly number[]) => Math.max(...dates)
const oldest = (dates: readonly number[]) => Math.min(...dates)
const apart = (a: number, b: number) => Math.abs(a - b) > DAY
const year = (date: number) => new Date(date).getUTCFullYear()

/** What pages say of when they were written. */
export const dateChecks: PageCheck[] = [
  {
    code: 'content_stale',
    severity: 'minor',
    of: 'indexable',
    about: 'The article was last changed more than two years ago, as it says itself.',
    fix: 'Read it again: correct what no longer holds and set dateModified, or say that it is an archive.',
    finds(page) {
      const { published, modified, shown, times } = page.facts.dates
      const past = [...published, ...modified, ...shown, ...times].filter((date) => date <= Date.now())
      return past.length > 0 && isArticle(page) && newest(past) < Date.now() - OLD * DAY
    },
    examples: {
      bad: [
        article({ datePublished: '2011-03-01' }),
        article({ datePublished: daysAgo(900), dateModified: daysAgo(732) }),
        `<meta property="og:type" content="article">${meta('published_time', '2012-01-01T10:00:00Z')}`,
        article({}, '<time datetime="2013-05-05">May 2013</time>'),
      ],
      good: [
        article({ datePublished: '2011-03-01', dateModified: daysAgo(728) }),
        article({ datePublished: '2011-03-01' }, `<time datetime="${daysAgo(3)}">now</time>`),
        article({}),
        '<p>Founded <time datetime="1952-01-01">1952</time></p>',
      ],
    },
  },
  {
    code: 'content_date_conflict',
    severity: 'minor',
    about:
      'The dates of the page contradict each other: in structured data, metadata, text, title or address.',
    fix: 'Take all dates from one source: the day of publication and the day of the last real change.',
    finds: conflicts,
    examples: {
      bad: [
        article({ datePublished: '2024-03-10', dateModified: '2024-03-01' }),
        meta('published_time', '2023-01-05') + article({ datePublished: '2024-03-10' }),
        article(
          { datePublished: '2024-03-10' },
          '<time class="entry-date" datetime="2022-06-01">June</time>',
        ),
        { url: 'https://example.test/2019/05/shoes', html: article({ datePublished: '2024-03-10' }) },
        `<title>The best shoes of 2026</title>${article({ datePublished: '2021-03-10' })}`,
      ],
      good: [
        article({ datePublished: '2024-03-10', dateModified: '2024-05-01' }),
        meta('published_time', '2024-03-09T23:00:00+01:00') + article({ datePublished: '2024-03-10' }),
        article({ datePublished: '2024-03-10' }, '<time datetime="1952-06-01">In 1952</time>'),
        article(
          { datePublished: '2024-03-10' },
          '<time itemprop="datePublished" datetime="2024-03-10">10 March</time>',
        ),
        { url: 'https://example.test/2024/05/shoes', html: article({ datePublished: '2024-03-10' }) },
        `<title>The winter of 1952</title>${article({ datePublished: '2021-03-10' })}`,
        `<title>The best shoes of 2025</title>${article({ datePublished: '2024-12-10' })}`,
        '<title>Shoes of 2030</title><p>no date</p>',
      ],
    },
  },
]

function conflicts({ facts, visit: { url } }: Page): boolean {
  const { published, modified, shown } = facts.dates
  const declared = [...published, ...modified]
  if (declared.length === 0) return false
  const isWritten = published.length > 0
  if (isWritten && apart(newest(published), oldest(published))) return true
  if (isWritten && modified.length > 0 && newest(modified) + DAY < oldest(published)) return true
  if (shown.length > 0 && !shown.some((date) => declared.some((other) => !apart(date, other)))) return true
  const inPath = /\/((?:19|20)\d{2})\/(?:0[1-9]|1[0-2])\//.exec(url.pathname)?.[1]
  if (isWritten && inPath !== undefined && !published.some((date) => year(date) === Number(inPath)))
    return true
  // A title may speak of the past, and of the year to come.
  const inTitle = /\b20\d{2}\b/.exec(facts.title ?? '')?.[0]
  return inTitle !== undefined && Number(inTitle) > year(newest(declared)) + 1
}
