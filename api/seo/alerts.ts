import { z } from 'zod'

import { Problem } from '../../problem.ts'
import * as alerts from '../../sql/alerts.ts'
import { endpoint, item, list } from '../endpoint.ts'
import { datetime, id, optionalTruthy, truthy } from '../fields.ts'

const Alert = alerts.Alert.extend({ datetime }).meta({ id: 'Alert' })
const Reading = z.object({ is_read: truthy(true) }).meta({ example: { is_read: true } })

export const alertEndpoints = [
  endpoint({
    method: 'get',
    path: '/alerts',
    summary: 'List alerts',
    description: 'Newest first.',
    query: z.object({ is_read: optionalTruthy.describe('Only those read, or only those unread.') }),
    reply: list(Alert, {
      id: 40,
      type: 'rank_drop',
      severity: 'warning',
      message: '"scarpe rosse" (example.com) è scesa dalla posizione 4 alla 9',
      is_read: false,
      datetime: '2026-07-01 09:30:00',
    }),
    problems: ['invalid'],
    handle: ({ user, query, window }) => alerts.list(user.id, { isRead: query.is_read, ...window }),
  }),
  endpoint({
    method: 'patch',
    path: '/alerts',
    summary: 'Mark all alerts',
    body: Reading,
    reply: item(z.object({ updated: z.int().describe('Alerts that were not so before.') }), { updated: 3 }),
    problems: ['invalid'],
    handle: async ({ user, body }) => ({ updated: await alerts.markAll(user.id, body.is_read) }),
  }),
  endpoint({
    method: 'patch',
    path: '/alerts/:id',
    summary: 'Mark an alert',
    params: z.object({ id }),
    body: Reading,
    reply: item(z.object({ id: z.int(), is_read: z.boolean() }), { id: 40, is_read: true }),
    problems: ['not_found', 'invalid'],
    find: ({ id, user }) => alerts.find(user.id, id),
    async handle({ id, user, body }) {
      const marked = await alerts.mark(user.id, id, body.is_read)
      if (!marked) throw new Problem('not_found')
      return marked
    },
  }),
]
