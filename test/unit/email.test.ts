import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

import { config } from '../../config.ts'
import type { Notice } from '../../tasks/alerts/channels/channel.ts'
import { email } from '../../tasks/alerts/channels/email.ts'
import { type MailServer, startMailServer } from '../fakes/mail-server.ts'
import { freePort } from '../support/service.ts'

let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
})
beforeEach(() => {
  Object.assign(server, { mails: [], reply: 250 })
  config.SMTP_URL = server.url
  config.MAIL_FROM = 'SEO <seo@example.test>'
})
afterAll(() => server.close())

const notice: Notice = {
  id: 'msg_01',
  type: 'alert.rank_drop',
  timestamp: '2026-07-01T09:30:00.000Z',
  data: {},
  heading: null,
  lines: ['[Critico] la città è scesa <b>&'],
  rest: (alerts) => `e altri ${alerts}`,
  untold: 0,
  unsubscribe: 'Basta',
}
const send = (more: Partial<Notice> = {}) =>
  email.send({ ...notice, ...more }, { id: 7, target: 'mario@example.test', secrets: [] }, async () => {
    throw new Error('mail goes by SMTP')
  })
/** The parts of a mail: its headers unfolded, its contents decoded. */
function parse(text: string) {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const headers = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  const header = (name: string) =>
    headers.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  const body = rest
    .join('\r\n\r\n')
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/((=[0-9A-F]{2})+)/g, (hex) => Buffer.from(hex.replaceAll('=', ''), 'hex').toString())
  return { header, body }
}

test('a mail has text and HTML, and a way to stop it', async () => {
  await send()
  expect(server.mails.map(({ to }) => to)).toEqual([['mario@example.test']])
  const { header, body } = parse(server.mails[0]!.text)
  expect(header('From')).toBe('SEO <seo@example.test>')
  expect(header('To')).toBe('mario@example.test')
  expect(header('Message-ID')).toMatch(/^<msg_01@/)
  expect(header('Auto-Submitted')).toBe('auto-generated')
  expect(header('Content-Type')).toContain('multipart/alternative')
  const [, link = ''] =
    /^<(http:\/\/\S+\/unsubscribe\/7\.[\w-]{43})>$/.exec(header('List-Unsubscribe') ?? '') ?? []
  expect(link).not.toBe('')
  // One click is for https alone (RFC 8058).
  expect(header('List-Unsubscribe-Post')).toBeUndefined()
  expect(body).toContain(`[Critico] la città è scesa <b>&\r\n\r\n-- \r\nBasta: ${link}`)
  expect(body).toContain('<p>[Critico] la città è scesa &lt;b&gt;&amp;</p>')
  expect(body).toContain(`<a href="${link}">Basta</a>`)
})

test('a digest has its heading for a subject, a single alert its message', async () => {
  await send({ heading: '50 avvisi', lines: ['a', 'b'], untold: 48 })
  const digest = parse(server.mails[0]!.text)
  expect(digest.header('Subject')).toBe('50 avvisi')
  expect(digest.body).toContain('50 avvisi\r\na\r\nb\r\ne altri 48\r\n')
  await send({ lines: [`x\r\nBcc: giulia@example.test ${'y'.repeat(300)}`] })
  const single = parse(server.mails[1]!.text)
  expect(single.header('Bcc')).toBeUndefined()
  expect(single.header('Subject')?.length).toBeLessThan(160)
  expect(server.mails[1]?.to).toEqual(['mario@example.test'])
})

test.each([
  [550, 'refused'],
  [553, 'refused'],
  [421, 'unreachable'],
  [451, 'unreachable'],
])('the reply %d is %s', async (reply, kind) => {
  server.reply = reply
  await expect(send()).rejects.toMatchObject({ name: 'Undelivered', kind })
  expect(server.mails).toEqual([])
})

test('a login that is refused is tried again', async () => {
  config.SMTP_URL = server.url.replace('//', '//user:password@')
  await expect(send()).rejects.toMatchObject({ kind: 'unreachable', message: 'the mail server answered 535' })
})

test('a server that is away is unreachable, none at all refuses', async () => {
  config.SMTP_URL = `smtp://127.0.0.1:${await freePort()}`
  await expect(send()).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'the mail server cannot be reached',
  })
  delete config.SMTP_URL
  await expect(send()).rejects.toMatchObject({ kind: 'refused', message: 'SMTP_URL is not set' })
})
