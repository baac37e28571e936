import type { Rule } from './rule.ts'
import { crawl, type EndedCrawl, nameOf, subjectOf } from './scan.ts'

/** Points that are news, and those that are grave. */
const POINTS = 5
const MANY_POINTS = 20

/** A site's score is lower than at the crawl before. */
export const spiderScoreDrop: Rule<EndedCrawl> = {
  type: 'spider_score_drop',
  subject: subjectOf,
  cooldownHours: 20,
  judge({ failure, score, previous_score: before }) {
    if (failure !== null || score === null || before === null) return null
    if (score - before >= POINTS) return 'well'
    return before - score >= MANY_POINTS ? 'critical' : before - score >= POINTS ? 'warning' : null
  },
  message: {
    it: (crawl) => `${nameOf(crawl)}: il punteggio è sceso da ${crawl.previous_score} a ${crawl.score}`,
    en: (crawl) => `${nameOf(crawl)}: the score fell from ${crawl.previous_score} to ${crawl.score}`,
  },
  details: ({ scan_id, host, score, previous_score }) => ({
    scan_id,
    host,
    from: previous_score,
    to: score,
  }),
  examples: {
    warning: [crawl({ score: 75 }), crawl({ score: 61 })],
    critical: [crawl({ score: 60 }), crawl({ score: 0 })],
    well: [crawl({ score: 85 })],
    nothing: [
      crawl({}),
      crawl({ score: 76 }),
      crawl({ score: 84 }),
      crawl({ score: null }),
      crawl({ score: 0, previous_score: null }),
      crawl({ score: 0, failure: 'No page answered.' }),
    ],
  },
}
