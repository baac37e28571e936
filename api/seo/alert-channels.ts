import { z } from 'zod'

import { Problem } from '../../problem.ts'
import * as channels from '../../sql/alert-channels.ts'
import { type Quota, use } from '../../sql/quotas.ts'
import { acceptChannel, ask, channelKinds, channelOf, shownTarget } from '../../tasks/jobs.ts'
import { created, endpoint, item, list } from '../endpoint.ts'
import { datetime, id, optionalTruthy, truthy } from '../fields.ts'

const MOST_CHANNELS = 20
const TEST_SECONDS = 45
/** Somebody else may own what is given as a target. */
const tests: Quota = { name: 'alert-tests', runs: 60, hours: 1 }

const Channel = z
  .object({
    id: z.int(),
    kind: z.enum(channelKinds),
    target: z.string().describe('With the token of a bot masked.'),
    active: z.boolean().describe('A webhook that answers 410 is made inactive.'),
    datetime,
  })
  .meta({ id: 'AlertChannel' })
const NewChannel = Channel.extend({
  secret: z.string().optional().describe('What a webhook is signed with; it is shown only here.'),
})
const Id = z.object({ id: z.int() })
const target = z
  .string()
  .describe(
    'An address; for `telegram` `tgram://BOT_TOKEN/CHAT_ID`, for `teams` that of a workflow, for `email` a mail address.',
  )
const secret = z
  .string()
  .describe('Of a webhook: `whsec_` and base64 of 16 to 64 bytes (Standard Webhooks); other kinds have none.')

const example = {
  id: 5,
  kind: 'webhook',
  target: 'https://example.com/hooks/seo',
  active: true,
  datetime: '2026-07-01 09:30:00',
} as const
const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLbpjNEWvzoXmTzA='

/** What every endpoint below one channel begins with; absent or somebody else's is 404. */
const oneChannel = {
  params: z.object({ id }),
  find: ({ id, user }: { id: number; user: { id: number } }) => channels.find(user.id, id),
}

export const alertChannelEndpoints = [
  endpoint({
    method: 'get',
    path: '/alert-channels',
    summary: 'List alert channels',
    reply: list(Channel, example),
    async handle({ user, window }) {
      const { rows, total } = await channels.list(user.id, window)
      return { rows: rows.map(shown), total }
    },
  }),
  endpoint({
    method: 'post',
    path: '/alert-channels',
    summary: 'Create an alert channel',
    description:
      'Alerts are sent there as they are raised, at most five messages a minute; what would be more comes as one digest.',
    body: z
      .object({ kind: z.enum(channelKinds), target, secret: secret.nullish(), active: truthy(true) })
      .meta({ example: { kind: 'webhook', target: 'https://example.com/hooks/seo' } }),
    reply: created(NewChannel, { ...example, secret: exampleSecret }),
    problems: ['invalid', 'too_many_channels'],
    async handle({ user, body: { kind, active, ...given } }) {
      const accepted = acceptChannel(kind, given)
      if (typeof accepted === 'string') throw new Problem('invalid', { field: accepted })
      if ((await channels.count(user.id)) >= MOST_CHANNELS)
        throw new Problem('too_many_channels', { limit: MOST_CHANNELS })
      const channel = await channels.create(user.id, { ...accepted, active })
      return { ...shown(channel), secret: accepted.secret ?? undefined }
    },
  }),
  endpoint({
    method: 'patch',
    path: '/alert-channels/:id',
    summary: 'Change an alert channel',
    description: 'After a new `secret`, webhooks are signed with the one before as well for 24 hours.',
    params: oneChannel.params,
    body: z
      .object({ target: target.optional(), secret: secret.optional(), active: optionalTruthy })
      .meta({ example: { active: false } }),
    reply: item(Channel, example),
    problems: ['not_found', 'invalid'],
    find: oneChannel.find,
    async handle({ id, user, body, record }) {
      const channel = await channels.change(user.id, id, changesOf(record.kind, body))
      if (!channel) throw new Problem('not_found')
      return shown(channel)
    },
  }),
  endpoint({
    method: 'delete',
    path: '/alert-channels/:id',
    summary: 'Delete an alert channel',
    params: oneChannel.params,
    reply: item(Id, { id: 5 }),
    problems: ['not_found'],
    async handle({ id, user }) {
      const removed = await channels.remove(user.id, id)
      if (!removed) throw new Problem('not_found')
      return removed
    },
  }),
  endpoint({
    method: 'post',
    path: '/alert-channels/:id/test',
    summary: 'Test an alert channel',
    description: `Sends a message that says so, and answers when it has arrived. ${tests.runs} an hour.`,
    params: oneChannel.params,
    reply: item(Id, { id: 5 }),
    problems: ['not_found', 'quota', 'upstream_failed'],
    find: oneChannel.find,
    async handle({ id, user }) {
      if ((await use(user.id, tests)) === null) throw new Problem('quota')
      await ask('alerts.test', { channel: id }, { within: TEST_SECONDS })
      return { id }
    },
  }),
]

type Changes = { target?: string | undefined; secret?: string | undefined; active?: boolean | undefined }

/** The changes as they are stored; a secret that the kind has no use for is none. */
function changesOf(kind: string, given: Changes): Changes {
  const channel = channelOf(kind)
  const target = given.target === undefined ? undefined : channel.accept(given.target.trim())
  const secret = given.secret === undefined ? undefined : channel.secret?.accept(given.secret)
  if (target === null || secret === null)
    throw new Problem('invalid', { field: target === null ? 'target' : 'secret' })
  const changes = { target, secret, active: given.active }
  if (Object.values(changes).every((value) => value === undefined)) throw new Problem('invalid')
  return changes
}

/** Without what is in a stored channel beside this. */
function shown(channel: channels.Channel) {
  const kind = z.enum(channelKinds).parse(channel.kind)
  return { ...channel, kind, target: shownTarget(channel) }
}
