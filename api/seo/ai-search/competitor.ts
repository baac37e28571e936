import { z } from 'zod'

import { Problem } from '../../../problem.ts'
import { competitorReports } from '../../../sql/ai-runs.ts'
import { ask } from '../../../tasks/jobs.ts'
import { created, endpoint } from '../../endpoint.ts'
import { datetime, optionalName, text, truthy } from '../../fields.ts'
import { admit, analyse, matrixNote, matrixTerms, paidProblems, paidTerms, quotaNote } from './analysis.ts'
import { recordEndpoints } from './records.ts'

const NAME_LENGTH = 255
const MOST_COMPETITORS = 20
/** Of a matrix, the brand included. */
const MOST_PARTICIPANTS = 8
const LANGUAGE_LENGTH = 40

const Report = competitorReports.Listed.extend({
  competitors: z
    .array(z.string())
    .transform((names) => names.join(','))
    .pipe(z.string().describe('Comma-separated names.')),
  datetime,
}).meta({ id: 'CompetitorReport' })
const ReportDetail = competitorReports.Detail.extend({ datetime }).meta({
  id: 'CompetitorReportDetail',
})
const Matrix = z.object({
  mode: z.literal('matrix'),
  brands: z.array(
    z.looseObject({ brand: z.string(), score: z.number(), cited: z.number(), first: z.number() }),
  ),
  matrix: z.array(z.looseObject({ subject: z.string(), vs: z.record(z.string(), z.number()) })),
})
/** A matrix is answered beside its record, too. */
const NewReport = ReportDetail.extend(Matrix.partial().shape).meta({ id: 'NewCompetitorReport' })

const example = { id: 3, brand: 'Rossi', competitors: 'Bianchi,Verdi', datetime: '2026-07-01 09:30:00' }
const detailExample = { ...example, competitors: ['Bianchi', 'Verdi'], result: {} }

/** Names in a string or an array; an array's may have commas. */
const names = z
  .union([z.string().transform((list) => list.split(',')), z.array(z.string())])
  .nullish()
  .transform((given) =>
    (given ?? []).map((each) => Array.from(each.trim()).slice(0, NAME_LENGTH).join('')).filter(Boolean),
  )
  .meta({
    override: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    description: 'Names or hosts, comma separated or in an array.',
    example: ['Bianchi', 'Verdi'],
  })

const Comparison = z
  .object({
    brand: optionalName.describe('Name or host.'),
    host: optionalName.describe('Alias of `brand`.'),
    main_host: optionalName.describe('Alias of `brand`.'),
    competitors: names,
    language: text(LANGUAGE_LENGTH).describe('Of the report, by code or name; Italian without.'),
    mode: z.string().nullish().describe('`matrix` compares every participant with every other.'),
    symmetric: truthy().describe('True is the same as `mode` `matrix`.'),
  })
  .transform(({ brand, host, main_host, competitors, language }) => {
    const subject = brand || host || main_host
    return { brand: subject, competitors: distinct(competitors, subject), language: language || 'it' }
  })
  .refine(({ brand }) => brand !== '', { path: ['brand'] })
  .refine(({ competitors }) => competitors.length > 0, { path: ['competitors'] })
  .meta({ example: { brand: 'Rossi', competitors: ['Bianchi', 'Verdi'] } })
const Query = z.object({ symmetric: truthy().describe('As in the body.') })

export const competitor = [
  ...recordEndpoints(
    '/ai-competitor',
    { one: 'a competitor report', many: 'competitor reports' },
    competitorReports,
    { schema: Report, example },
    { schema: ReportDetail, example: detailExample },
  ),
  endpoint({
    method: 'post',
    path: '/ai-competitor',
    summary: 'Compare a brand with its competitors',
    description:
      'Asks every configured answer engine a common set of prompts, and compares who is named and cited. ' +
      `As a matrix, 2 to ${MOST_PARTICIPANTS} participants are each the subject in turn. ${quotaNote} ${matrixNote}`,
    query: Query,
    body: Comparison,
    reply: created(NewReport, detailExample),
    problems: [...paidProblems, 'matrix_quota'],
    async find({ user, sent, request }) {
      const matrix = isMatrix(sent, request.query)
      await admit(user, matrix ? matrixTerms : paidTerms)
      return { matrix }
    },
    async handle({ user, body, record: { matrix } }) {
      if (body.competitors.length > (matrix ? MOST_PARTICIPANTS - 1 : MOST_COMPETITORS))
        throw new Problem('invalid', { field: 'competitors' })
      const report = await analyse(user, matrix ? matrixTerms : paidTerms, competitorReports, (who, wait) =>
        ask('ai.competitor', { ...who, ...body, matrix }, wait),
      )
      return matrix ? { ...report, ...Matrix.parse(report.result) } : report
    },
  }),
]

/** Asked before the input is validated, as the two kinds of report have quotas of their own. */
function isMatrix(body: Record<string, unknown>, query: unknown): boolean {
  if (body['mode'] === 'matrix' || truthy().safeParse(body['symmetric']).data) return true
  return Query.safeParse(query).data?.symmetric ?? false
}

/** Each name once, whatever its case, and not the subject's own. */
function distinct(names: readonly string[], subject: string): string[] {
  const seen = new Set([subject.toLowerCase()])
  return names.filter((name) => {
    const key = name.toLowerCase()
    return !seen.has(key) && seen.add(key)
  })
}
