import { z } from 'zod'

import { config, publicUrl } from '../../../config.ts'
import { unsubscribeToken } from '../../../sql/unsubscribe.ts'
import { type Channel, type Notice, textOf, Undelivered } from './channel.ts'

const TIMEOUT_MS = 15_000
const SUBJECT_LENGTH = 150
const TEXT_LENGTH = 100_000
const address = z.email().max(254)

/** A mail address, by the operator's mail server (`SMTP_URL`). */
export const email: Channel = {
  kind: 'email',
  accept: (given) => (address.safeParse(given).success ? given : null),
  async send(notice, to) {
    if (!config.SMTP_URL) throw new Undelivered('refused', 'SMTP_URL is not set')
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      url: config.SMTP_URL,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    try {
      await transport.sendMail(mail(notice, to))
    } catch (error) {
      throw undelivered(error as MailFault)
    } finally {
      transport.close()
    }
  },
}

function mail(notice: Notice, to: { id: number; target: string }) {
  const { hostname } = new URL(publicUrl)
  const unsubscribe = `${publicUrl}/unsubscribe/${unsubscribeToken(to)}`
  const text = textOf(notice, TEXT_LENGTH)
  const oneClick = unsubscribe.startsWith('https:')
  return {
    from: config.MAIL_FROM ?? { name: 'SEO Suite', address: `seo-suite@${hostname}` },
    to: { name: '', address: to.target },
    // Servers drop a second mail of the same id.
    messageId: `<${notice.id}@${hostname}>`,
    subject: Array.from(notice.heading ?? notice.lines[0] ?? '')
      .slice(0, SUBJECT_LENGTH)
      .join(''),
    text: `${text}\n\n-- \n${notice.unsubscribe}: ${unsubscribe}\n`,
    html: html(text, unsubscribe, notice.unsubscribe),
    list: { unsubscribe },
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(oneClick && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
  }
}

function html(text: string, unsubscribe: string, word: string) {
  const lines = text.split('\n').map((line) => `<p>${escaped(line)}</p>`)
  const foot = `<p><small><a href="${escaped(unsubscribe)}">${escaped(word)}</a></small></p>`
  return `<!doctype html><meta charset="utf-8"><div style="font-family:sans-serif">${lines.join('')}${foot}</div>`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

type MailFault = Error & { code?: string; responseCode?: number }

/** The server's address is the operator's own affair, and so is a login that it refuses: that is tried again. */
function undelivered(error: MailFault) {
  const { code, responseCode: reply } = error
  const refused = reply !== undefined && reply >= 500 && code !== 'EAUTH'
  const said = reply === undefined ? 'the mail server cannot be reached' : `the mail server answered ${reply}`
  return new Undelivered(refused ? 'refused' : 'unreachable', said, { cause: error })
}
