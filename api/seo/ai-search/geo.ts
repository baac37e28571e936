import { z } from 'zod'

import { geoAudits } from '../../../sql/ai-runs.ts'
import { ask } from '../../../tasks/jobs.ts'
import { created, endpoint } from '../../endpoint.ts'
import { datetime, text } from '../../fields.ts'
import { startUrl } from '../start-url.ts'
import { admit, analyse, freeProblems, freeTerms, quotaNote } from './analysis.ts'
import { recordEndpoints } from './records.ts'

const URL_LENGTH = 4096

const Audit = geoAudits.Listed.extend({ datetime }).meta({ id: 'GeoAudit' })
const AuditDetail = geoAudits.Detail.extend({ datetime }).meta({ id: 'GeoAuditDetail' })

const example = {
  id: 7,
  host: 'example.com',
  url: 'https://example.com/',
  geo_score: 64,
  has_llms_txt: false,
  pages_count: 5,
  datetime: '2026-07-01 09:30:00',
}
const detailExample = {
  ...example,
  checks: [
    {
      code: 'content_without_js',
      area: 'content',
      title: 'Il contenuto è nell’HTML, senza bisogno di JavaScript',
      status: 'warn' as const,
      weight: 10,
      score: 4,
    },
  ],
  recommendations: [
    {
      check: 'content_without_js',
      area: 'content',
      priority: 'high' as const,
      gain: 6,
      title: 'Il contenuto è nell’HTML, senza bisogno di JavaScript',
      fix: 'Invia il testo della pagina già nell’HTML.',
    },
  ],
  ai_crawlers: [
    {
      agent: 'GPTBot',
      operator: 'OpenAI',
      class: 'training' as const,
      robots: 'allowed' as const,
      observed: 'welcomed' as const,
    },
  ],
}

export const geo = [
  ...recordEndpoints(
    '/geo',
    { one: 'a GEO audit', many: 'GEO audits' },
    geoAudits,
    { schema: Audit, example },
    { schema: AuditDetail, example: detailExample },
  ),
  endpoint({
    method: 'post',
    path: '/geo',
    summary: 'Audit a site for AI search',
    description: `How well a page, and a few more of its site, can be found, read and cited by AI assistants. Asks no answer engine. ${quotaNote}`,
    body: z
      .object({
        url: text(URL_LENGTH).describe('Address or domain.'),
        domain: text(URL_LENGTH).describe('Used when there is no `url`.'),
      })
      .meta({ example: { url: 'https://example.com/' } }),
    reply: created(AuditDetail, detailExample),
    problems: freeProblems,
    async find({ user }) {
      await admit(user, freeTerms)
      return {}
    },
    async handle({ user, body }) {
      const given = body.url || body.domain
      const { href } = startUrl(given, 'url')
      // Which scheme a bare host has is found out by the audit.
      const url = /^https?:/i.test(given) ? href : given
      return await analyse(user, freeTerms, geoAudits, (who, wait) => ask('ai.geo', { ...who, url }, wait))
    },
  }),
]
