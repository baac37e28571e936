import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { guard } from '../../tasks/address.ts'
import { guardedAgent } from '../../tasks/agent.ts'
import { type Notice, Undelivered } from '../../tasks/alerts/channels/channel.ts'
import { channelOf, channels } from '../../tasks/alerts/channels/index.ts'
import { poster } from '../../tasks/alerts/post.ts'
import { closeHttp } from '../../tasks/http.ts'
import { type Receiver, startReceiver } from '../fakes/receiver.ts'

const HANG_MS = 150
const token = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'
const secrets = [
  `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  `whsec_${Buffer.alloc(24, 2).toString('base64')}`,
]

/** A target of each kind, the address it stands for, and the text in what is sent there. */
const samples = {
  webhook: { target: 'https://example.com/hook?a=1', text: ({ data }: Json) => data.message },
  slack: { target: 'https://hooks.slack.com/services/T0/B0/S3cr3t', text: ({ text }: Json) => text },
  discord: {
    target: 'https://discord.com/api/webhooks/12/S3cr3t',
    text: ({ embeds }: Json) => embeds[0].description,
  },
  telegram: {
    target: `tgram://${token}/-1001`,
    address: `https://api.telegram.org/bot${token}/sendMessage`,
    text: ({ text }: Json) => text,
  },
  teams: {
    target: 'https://prod-00.westeurope.logic.azure.com/workflows/a/triggers/manual/paths/invoke?sig=S3cr3t',
    text: ({ attachments }: Json) =>
      attachments[0].content.body.map(({ inlines }) => inlines[0].text).join('\n'),
  },
} as const satisfies Partial<Record<keyof typeof channels, Sample>>

/** What the bodies have in them, each kind some of it. */
type Json = {
  data: { message: string }
  text: string
  embeds: [{ description: string }]
  attachments: [{ content: { body: { inlines: [{ text: string }] }[] } }]
}
type Sample = { target: string; address?: string; text: (body: Json) => string }
const kinds = Object.entries<Sample>(samples)

const single: Notice = {
  id: 'msg_0123',
  type: 'alert.rank_drop',
  timestamp: '2026-07-01T09:30:00.000Z',
  data: { id: 1, message: 'fell from 4 to 9' },
  heading: null,
  lines: ['fell from 4 to 9'],
  rest: (alerts) => `and ${alerts} more`,
  untold: 0,
  unsubscribe: 'Stop',
}

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
beforeEach(() => Object.assign(receiver, { received: [], answer: { status: 204 } }))
afterAll(async () => {
  await receiver.close()
  await closeHttp()
})

function send(kind: string, notice = single, through = receiver.through) {
  const { target } = samples[kind as keyof typeof samples]
  const post = poster({ signal: new AbortController().signal, timeoutMs: HANG_MS, through })
  return channelOf(kind).send(notice, { id: 1, target, secrets }, post)
}
/** How a sending fails. */
const failure = (...sent: Parameters<typeof send>) =>
  send(...sent).then(
    () => 'delivered',
    (error: unknown) => error as Undelivered,
  )

describe.each(kinds)('%s', (kind, { target, address = target, text }) => {
  test('takes its sample for a target', () => {
    expect(channelOf(kind).accept(target)).toBe(target)
  })

  test('sends one message', async () => {
    await send(kind)
    expect(receiver.received).toMatchObject([
      { method: 'POST', url: address, headers: { 'content-type': 'application/json' } },
    ])
    const body = JSON.parse(receiver.received[0]!.body) as Json
    expect(text(body)).toBe('fell from 4 to 9')
  })

  test.each([
    ['200', { status: 200, body: 'ok' }],
    ['an endless answer', { status: 200, body: Buffer.alloc(2 ** 20) }],
  ])('is content with %s', async (_, answer) => {
    receiver.answer = answer
    expect(await failure(kind)).toBe('delivered')
  })

  test.each([
    ['400', { status: 400 }, 'refused'],
    ['404', { status: 404 }, 'refused'],
    ['a redirect', { status: 302, headers: { location: 'https://example.com/other' } }, 'refused'],
    ['a lasting redirect', { status: 308, headers: { location: '/other' } }, 'refused'],
    ['410', { status: 410 }, 'gone'],
    ['408', { status: 408 }, 'busy'],
    ['429', { status: 429 }, 'busy'],
    ['500', { status: 500 }, 'busy'],
    ['503', { status: 503 }, 'busy'],
    ['silence', 'hang', 'unreachable'],
    ['a broken connection', 'hang up', 'unreachable'],
  ] as const)('tells %s', async (_, answer, outcome) => {
    receiver.answer = answer
    const error = await failure(kind)
    expect(error).toMatchObject({ name: 'Undelivered', kind: outcome, pauseSeconds: null })
    expect((error as Undelivered).message).not.toMatch(/S3cr3t|AAHdqT/)
    expect(receiver.received).toHaveLength(1)
  })

  test.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '0.2' }, 1],
    [{ 'retry-after': '99999' }, 3600],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': new Date(Date.now() - 60_000).toUTCString() }, 1],
    [{ 'retry-after': new Date(Date.now() + 10 * 3600_000).toUTCString() }, 3600],
  ])('waits after 429 with %j', async (headers, pauseSeconds) => {
    receiver.answer = { status: 429, headers }
    expect(await failure(kind)).toMatchObject({ kind: 'busy', pauseSeconds })
  })

  test.each([
    [{ retry_after: 2.5 }, 2.5],
    [{ ok: false, parameters: { retry_after: 30 } }, 30],
    [{ ok: false }, null],
    [null, null],
  ])('waits after 429 that says %j', async (said, pauseSeconds) => {
    receiver.answer = { status: 429, body: JSON.stringify(said) }
    expect(await failure(kind)).toMatchObject({ kind: 'busy', pauseSeconds })
  })

  test('never asks a private address', async () => {
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const through = guardedAgent(guard({ privateNetworks: false, resolve }))
    expect(await failure(kind, single, through)).toMatchObject({ kind: 'forbidden' })
    expect(receiver.received).toEqual([])
    await through.destroy()
  })

  test('tells a digest of a thousand within the bounds of the receiver', async () => {
    const lines = Array.from({ length: 50 }, (_, at) => `${at}: <&*_[${'x'.repeat(990)}`)
    await send(kind, { ...single, type: 'alert.digest', heading: '1000 alerts', lines, untold: 950 })
    const { body } = receiver.received[0]!
    expect(Buffer.byteLength(body)).toBeLessThan(28_000)
    if (kind === 'webhook') return
    const said = text(JSON.parse(body) as Json)
    expect(said).toMatch(/^1000 alerts\n0: /)
    const [, left] = /\nand (\d+) more$/.exec(said) ?? []
    expect(said.split('\n')).toHaveLength(2 + 1000 - Number(left))
  })
})

describe('a webhook', () => {
  const receive = async () => {
    await send('webhook')
    return receiver.received.at(-1)!
  }

  test('is what Standard Webhooks verifies, with the new secret and the old one', async () => {
    const { headers, body } = await receive()
    for (const secret of secrets)
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({
        type: 'alert.rank_drop',
        timestamp: '2026-07-01T09:30:00.000Z',
        data: single.data,
      })
    const other = new Webhook(`whsec_${Buffer.alloc(32, 9).toString('base64')}`)
    expect(() => other.verify(body, headers as Record<string, string>)).toThrow('No matching signature')
  })

  test('has the same id and body on every attempt', async () => {
    const [first, second] = [await receive(), await receive()]
    expect(second.body).toBe(first.body)
    expect(second.headers['webhook-id']).toBe('msg_0123')
    expect(first.headers['webhook-id']).toBe('msg_0123')
  })
})

describe('what a page says is text', () => {
  const hostile = '<!channel> @everyone *b* [x](https://evil.example) <b>&amp;'
  const sent = async (kind: string) => {
    await send(kind, { ...single, lines: [hostile] })
    return JSON.parse(receiver.received[0]!.body) as Record<string, unknown>
  }
  test('to Slack', async () => {
    expect((await sent('slack'))['text']).toMatch(/^&lt;!channel&gt; .* &lt;b&gt;&amp;amp;$/)
  })
  test('to Discord', async () => {
    expect(await sent('discord')).toEqual({
      embeds: [
        { description: String.raw`\<!channel\> @everyone \*b\* \[x\]\(https://evil.example\) \<b\>&amp;` },
      ],
      allowed_mentions: { parse: [] },
    })
  })
  test('to Telegram', async () => {
    expect(await sent('telegram')).toEqual({
      chat_id: '-1001',
      text: hostile,
      link_preview_options: { is_disabled: true },
    })
  })
  test('to Teams', async () => {
    expect(await sent('teams')).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: { type: 'AdaptiveCard', body: [{ type: 'RichTextBlock', inlines: [{ text: hostile }] }] },
        },
      ],
    })
  })
})
