import { z } from 'zod'

import { config, publicUrl } from '../../config.ts'
import { connectionOf } from '../../sql/external-accounts.ts'
import { canSource, isGoogleConfigured } from '../../tasks/jobs.ts'
import { endpoint, item } from '../endpoint.ts'

const resources = [
  'status',
  'projects',
  'keywords',
  'spider',
  'geo',
  'ai-visibility',
  'ai-engine',
  'ai-competitor',
  'prompt-research',
  'keyword-research',
  'search-console',
  'analytics',
  'alerts',
]

const Discovery = z.object({
  name: z.string(),
  version: z.string(),
  base_url: z.string().meta({ description: 'Root of the service.' }),
  auth: z.string().meta({ description: 'How a request is authenticated.' }),
  docs: z.string().meta({ description: 'Documentation for people.' }),
  resources: z.array(z.string()).meta({ description: 'First segments of the paths.' }),
  notes: z.string().meta({ description: 'Pagination, CSV, rate limit, CORS.' }),
})

const discovery = {
  name: 'SEO API',
  version: 'v1',
  base_url: `${publicUrl}/api/seo`,
  auth: 'Authorization: Bearer <api_key>',
  docs: `${publicUrl}/docs`,
  resources,
  notes: [
    'Lists take page and per_page (25, at most 100).',
    'format=csv gives a whole list, at most 5000 rows, as a file.',
    `${config.RATE_LIMIT_PER_MINUTE} requests per minute and API key.`,
    'CORS is open to every origin; no cookies are used.',
  ].join(' '),
}

const Status = z.object({
  datasource_configured: z.boolean().meta({ description: 'The keyword data source is configured.' }),
  external_configured: z.boolean().meta({ description: 'The external search account can be connected.' }),
  external_connected: z.boolean().meta({ description: 'You have connected an external search account.' }),
  external_email: z.string().nullable().meta({ description: 'Address of the connected account.' }),
  api_enabled: z.boolean().meta({ description: 'Your plan has the API.' }),
})

const status = { datasource_configured: canSource('rank'), external_configured: isGoogleConfigured() }

export const discoveryEndpoints = [
  endpoint({
    method: 'get',
    path: '/',
    summary: 'Discover the API',
    reply: item(Discovery, discovery),
    headers: {
      Link: `<${publicUrl}/openapi.json>; rel="service-desc", <${publicUrl}/docs>; rel="service-doc"`,
    },
    handle: async () => discovery,
  }),
  endpoint({
    method: 'get',
    path: '/status',
    summary: 'Read what is configured',
    reply: item(Status, {
      ...status,
      external_connected: true,
      external_email: 'mario@example.com',
      api_enabled: true,
    }),
    async handle({ user }) {
      const connection = await connectionOf(user.id)
      return {
        ...status,
        external_connected: connection !== null,
        external_email: connection?.email ?? null,
        api_enabled: user.api,
      }
    },
  }),
]
