import type { Rule } from './rule.ts'
import { crawl, type EndedCrawl, nameOf, subjectOf } from './scan.ts'

/** Pages answer 5xx; told again only after a crawl in which none did. */
export const spiderServerErrors: Rule<EndedCrawl> = {
  type: 'spider_server_errors',
  subject: subjectOf,
  cooldownHours: null,
  judge({ failure, server_errors: errors }) {
    if (failure !== null) return null
    return errors > 0 ? 'critical' : 'well'
  },
  message: {
    it(crawl) {
      const { url, status } = firstOf(crawl)
      return crawl.server_errors === 1
        ? `${nameOf(crawl)}: una pagina risponde con un errore del server, ${url} (${status})`
        : `${nameOf(crawl)}: ${crawl.server_errors} pagine rispondono con un errore del server, fra cui ${url} (${status})`
    },
    en(crawl) {
      const { url, status } = firstOf(crawl)
      return crawl.server_errors === 1
        ? `${nameOf(crawl)}: a page answers with a server error, ${url} (${status})`
        : `${nameOf(crawl)}: ${crawl.server_errors} pages answer with a server error, such as ${url} (${status})`
    },
  },
  details: ({ scan_id, host, server_errors, examples }) => ({
    scan_id,
    host,
    pages: server_errors,
    examples,
  }),
  examples: {
    critical: [
      crawl({ server_errors: 1, examples: [{ url: 'https://example.com/a', status: 500 }] }),
      crawl({
        name: 'Shop',
        server_errors: 30,
        examples: [{ url: 'https://example.com/b', status: 503 }],
        score: null,
        previous_score: null,
      }),
    ],
    well: [crawl({}), crawl({ score: 10 })],
    nothing: [crawl({ failure: 'No page answered.' })],
  },
}

const firstOf = ({ examples: [first] }: EndedCrawl) => first ?? { url: '', status: 500 }
