import type { CrawlOutcome } from '../../../sql/crawl-outcome.ts'

/** What the rules of crawls judge. */
export type EndedCrawl = Pick<
  CrawlOutcome,
  'scan_id' | 'name' | 'host' | 'failure' | 'score' | 'previous_score' | 'server_errors' | 'examples'
>

export const subjectOf = ({ scan_id: id }: EndedCrawl) => `scan:${id}`
export const nameOf = ({ name, host }: EndedCrawl) => (name ? `"${name}" (${host})` : host)

/** For the examples: a crawl without faults, and what is said of it. */
export const crawl = (more: Partial<EndedCrawl>): EndedCrawl => ({
  scan_id: 12,
  name: '',
  host: 'example.com',
  failure: null,
  score: 80,
  previous_score: 80,
  server_errors: 0,
  examples: [],
  ...more,
})
