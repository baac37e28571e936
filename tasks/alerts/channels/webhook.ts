import { createHmac, randomBytes } from 'node:crypto'

import { ADDRESS_LENGTH, type Channel } from './channel.ts'

const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/
const SECRET_BYTES = 32
const LEAST_SECRET_BYTES = 16
const MOST_SECRET_BYTES = 64

/** Any http(s) address, by the Standard Webhooks specification 1.0.0: signed, with the same id and body on every attempt. */
export const webhook: Channel = {
  kind: 'webhook',
  secret: {
    make: () => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`,
    accept(given) {
      const { length } = keyOf(given)
      return SECRET.test(given) && length >= LEAST_SECRET_BYTES && length <= MOST_SECRET_BYTES ? given : null
    },
  },
  insists: true,
  accept(given) {
    const url = URL.parse(given)
    const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password
    return plain && given.length <= ADDRESS_LENGTH ? given : null
  },
  async send({ id, type, timestamp, data }, { target, secrets }, post) {
    const body = JSON.stringify({ type, timestamp, data })
    const sentAt = String(Math.floor(Date.now() / 1000))
    const signatures = secrets.map((secret) => `v1,${signature(secret, `${id}.${sentAt}.${body}`)}`)
    await post(target, body, {
      'webhook-id': id,
      'webhook-timestamp': sentAt,
      'webhook-signature': signatures.join(' '),
    })
  },
}

const signature = (secret: string, text: string) =>
  createHmac('sha256', keyOf(secret)).update(text).digest('base64')
const keyOf = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
