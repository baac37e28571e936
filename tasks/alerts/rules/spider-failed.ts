import type { Rule } from './rule.ts'
import { crawl, type EndedCrawl, nameOf, subjectOf } from './scan.ts'

/** Why crawls fail, in words of alerts. */
const reasons = [
  { when: /^No page answered/, it: 'nessuna pagina ha risposto', en: 'no page answered' },
  {
    when: /^robots\.txt could not be read/,
    it: 'robots.txt non è leggibile, e la scansione lo rispetta',
    en: 'robots.txt could not be read, and the scan respects it',
  },
  {
    when: /^robots\.txt disallows/,
    it: 'robots.txt vieta l’indirizzo iniziale',
    en: 'robots.txt disallows the start URL',
  },
  { when: /^/, it: 'errori interni ripetuti', en: 'repeated internal errors' },
]

/** A crawl brought nothing; told again only after one that did. */
export const spiderFailed: Rule<EndedCrawl> = {
  type: 'spider_failed',
  subject: subjectOf,
  cooldownHours: null,
  judge: ({ failure }) => (failure === null ? 'well' : 'warning'),
  message: {
    it: (crawl) => `La scansione di ${nameOf(crawl)} non è riuscita: ${reasonOf(crawl)?.it}`,
    en: (crawl) => `The scan of ${nameOf(crawl)} failed: ${reasonOf(crawl)?.en}`,
  },
  details: ({ scan_id, host, failure }) => ({ scan_id, host, failure }),
  examples: {
    warning: [
      crawl({ failure: 'No page answered: https://example.com/ failed with timeout.' }),
      crawl({ failure: 'robots.txt disallows the start URL.', name: 'Shop', score: null }),
    ],
    well: [crawl({}), crawl({ server_errors: 9, score: 0 })],
    nothing: [],
  },
}

const reasonOf = ({ failure }: EndedCrawl) => reasons.find(({ when }) => when.test(failure ?? ''))
