import { describe, expect, test } from 'vitest'

import { alertTypes, severities } from '../../sql/alerts.ts'
import { aiCrawlerBlocked, type SeenAgents } from '../../tasks/alerts/rules/ai-crawler-blocked.ts'
import { certificateExpiring } from '../../tasks/alerts/rules/certificate-expiring.ts'
import { rules } from '../../tasks/alerts/rules/index.ts'
import { rankDrop } from '../../tasks/alerts/rules/rank-drop.ts'
import { rankGain } from '../../tasks/alerts/rules/rank-gain.ts'
import { moved } from '../../tasks/alerts/rules/rank-move.ts'
import { judge, type Rule } from '../../tasks/alerts/rules/rule.ts'
import { crawl } from '../../tasks/alerts/rules/scan.ts'
import { spiderFailed } from '../../tasks/alerts/rules/spider-failed.ts'
import { spiderScoreDrop } from '../../tasks/alerts/rules/spider-score-drop.ts'
import { spiderServerErrors } from '../../tasks/alerts/rules/spider-server-errors.ts'

const all: Rule<unknown>[] = Object.values(rules)

describe.each(all)('$type', (rule) => {
  const examples = Object.entries(rule.examples).flatMap(([says, given]) =>
    given.map((facts) => ({ says, facts })),
  )

  test.each(examples)('says $says of $facts', ({ says, facts }) =>
    expect(rule.judge(facts) ?? 'nothing').toBe(says),
  )

  test('alerts, recovers and keeps silent', () => {
    const said = new Set(examples.map(({ says }) => says))
    expect(severities.some((severity) => said.has(severity))).toBe(true)
    expect(said).toContain('well')
  })

  test('has words of its own in both languages, and one subject whatever it says', () => {
    const subjects = new Set(examples.map(({ facts }) => rule.subject(facts)))
    expect([...subjects]).toEqual([expect.stringMatching(/^(keyword|scan|host):\S+$/)])
    for (const { facts } of examples.filter(({ says }) => says !== 'well' && says !== 'nothing')) {
      const [it, en] = said(rule, facts)
      expect(it).not.toBe(en)
      for (const words of [it!, en!]) {
        expect(words).not.toMatch(/undefined|null|NaN/)
        expect(words.length).toBeLessThan(300)
      }
    }
  })
})

test('there is one rule for each type', () => {
  expect(Object.keys(rules).toSorted()).toEqual(alertTypes.toSorted())
  for (const [type, rule] of Object.entries(rules)) expect(rule.type).toBe(type)
})

test('a verdict has all that is raised, or what is recovered from, or nothing', () => {
  expect(judge(rankDrop, 5, moved(4, 9))).toEqual({
    alert: {
      userId: 5,
      type: 'rank_drop',
      subject: 'keyword:7',
      severity: 'warning',
      message: {
        it: '"scarpe rosse" (example.com) è scesa dalla posizione 4 alla 9',
        en: '"scarpe rosse" (example.com) fell from position 4 to 9',
      },
      details: {
        project_id: 3,
        keyword_id: 7,
        domain: 'example.com',
        keyword: 'scarpe rosse',
        from: 4,
        to: 9,
      },
      cooldownHours: 20,
    },
  })
  expect(judge(rankGain, 5, moved(4, 9))).toEqual({
    well: { userId: 5, type: 'rank_gain', subject: 'keyword:7' },
  })
  expect(judge(rankDrop, 5, moved(4, 5))).toEqual({})
})

test.each<[number, number]>([
  [1, 3],
  [10, 3],
  [11, 5],
  [30, 5],
  [31, 10],
  [90, 10],
])('from position %d it takes %d places', (from, places) => {
  for (let far = 1; far <= 10; far++) {
    const isFar = far >= places
    expect([far, rankDrop.judge(moved(from, from + far))]).toEqual([far, isFar ? 'warning' : null])
  }
  for (let far = 1; far < Math.min(from, 11); far++) {
    const isFar = far >= places
    expect([far, rankGain.judge(moved(from, from - far))]).toEqual([far, isFar ? 'info' : null])
  }
})

const host = 'example.com'
const ends = (at: string) => ({
  host,
  certificate: { validTo: '2026-06-10T12:00:00.000Z', issuer: 'CA', error: null },
  at: Date.parse(at),
})
const agents = (before: string[], letIn: string[]): SeenAgents => ({
  host,
  before,
  letIn,
  shutOut: before.filter((token) => !letIn.includes(token)),
})
const said = <Facts>({ message }: Rule<Facts>, facts: Facts) => [message.it(facts), message.en(facts)]
const named = crawl({ name: 'Shop', failure: 'The crawl was given up after repeated internal errors.' })
const errors = (count: number) =>
  crawl({ server_errors: count, examples: [{ url: 'https://example.com/a', status: 502 }] })

test.each<[string, string[], string[]]>([
  [
    'a fall out of the first ten',
    said(rankDrop, moved(2, 12)),
    [
      'è scesa dalla posizione 2 alla 12, fuori dalle prime 10',
      'fell from position 2 to 12, out of the top 10',
    ],
  ],
  [
    'a fall out of the first three',
    said(rankDrop, moved(2, 6)),
    ['dalla posizione 2 alla 6, fuori dalle prime 3', 'from position 2 to 6, out of the top 3'],
  ],
  [
    'a loss',
    said(rankDrop, moved(40, null)),
    ['è uscita dalle prime 100: era alla posizione 40', 'left the top 100: it was at position 40'],
  ],
  [
    'a rise into the first three',
    said(rankGain, moved(12, 2)),
    ['è salita dalla posizione 12 alla 2, fra le prime 3', 'rose from position 12 to 2, into the top 3'],
  ],
  [
    'a find',
    said(rankGain, moved(null, 40)),
    ['è entrata fra le prime 100, alla posizione 40', 'entered the top 100 at position 40'],
  ],
  [
    'a page with an error',
    said(spiderServerErrors, errors(1)),
    ['una pagina risponde con un errore del server, https://example.com/a (502)', 'a page answers with'],
  ],
  [
    'pages with errors',
    said(spiderServerErrors, errors(3)),
    ['3 pagine rispondono', '3 pages answer with a server error, such as https://example.com/a (502)'],
  ],
  [
    'a score',
    said(spiderScoreDrop, crawl({ score: 61 })),
    ['example.com: il punteggio è sceso da 80 a 61', 'example.com: the score fell from 80 to 61'],
  ],
  [
    'a scan with a name',
    said(spiderFailed, named),
    [
      'La scansione di "Shop" (example.com) non è riuscita: errori interni ripetuti',
      'The scan of "Shop" (example.com) failed: repeated internal errors',
    ],
  ],
  [
    'a certificate with days left',
    said(certificateExpiring, ends('2026-06-01T00:00:00Z')),
    ['scade fra 9 giorni, il 2026-06-10', 'expires in 9 days, on 2026-06-10'],
  ],
  [
    'a certificate with a day left',
    said(certificateExpiring, ends('2026-06-09T00:00:00Z')),
    ['scade domani', 'expires tomorrow'],
  ],
  [
    'a certificate with hours left',
    said(certificateExpiring, ends('2026-06-10T00:00:00Z')),
    ['scade oggi', 'expires today'],
  ],
  [
    'a certificate that has ended',
    said(certificateExpiring, ends('2026-06-11T00:00:00Z')),
    ['è scaduto il 2026-06-10', 'expired on 2026-06-10'],
  ],
  [
    'an agent',
    said(aiCrawlerBlocked, agents(['A', 'B'], ['B'])),
    ['robots.txt di example.com ora esclude A', 'robots.txt of example.com now keeps out A'],
  ],
  [
    'many agents',
    said(aiCrawlerBlocked, agents([...'ABCDEFGH'], ['H'])),
    ['ora esclude A, B, C, D, E e 2 altri', 'now keeps out A, B, C, D, E and 2 more'],
  ],
  [
    'all agents',
    said(aiCrawlerBlocked, agents(['A', 'B'], [])),
    ['ora esclude tutti gli agenti', 'now keeps out all search and AI agents'],
  ],
])('%s is told in words', (_what, words, expected) => {
  for (const [at, part] of expected.entries()) expect(words[at]).toContain(part)
})
