import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { join } from 'node:path'

import { config } from '../config.ts'
import { keptSecret } from './cluster.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'
const TAG = { authTagLength: TAG_BYTES }
const VERSION = 'v1'

/**
 * A text as it is stored: AES-256-GCM under `SECRET_KEY`, as `v1.<key id>.<nonce, ciphertext and tag, base64url>`. It
 * opens only with the same `place` (table, column and owner), so that a row's secret is of no use in another row.
 */
export function seal(text: string, place: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key(), nonce, TAG).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return [sealedBy(), sealed.toString('base64url')].join('.')
}

/** The text in a seal; throws when it was sealed with another key than `SECRET_KEY` and `SECRET_KEY_OLD`, for another place, or tampered with. */
export function unseal(sealed: string, place: string): string {
  const [version, id, body = ''] = sealed.split('.')
  const known = keys().find((key) => idOf(key) === id)
  if (version !== VERSION || !known)
    throw new Error(`stored under another SECRET_KEY (${id}) than this one (${idOf(key())})`)
  const bytes = Buffer.from(body, 'base64url')
  const decipher = createDecipheriv(CIPHER, known, bytes.subarray(0, NONCE_BYTES), TAG)
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES))
  return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}

/** What every seal of today begins with. */
export function sealedBy(): string {
  return `${VERSION}.${idOf(key())}`
}

/** A word that only this service can make of a text. */
export function sign(text: string): string {
  return signed(text, key())
}

/** Whether `sign` made this word of the text, now or under the key before. */
export function isSigned(text: string, word: string): boolean {
  const given = Buffer.from(word)
  const genuine = keys().map((key) => Buffer.from(signed(text, key)))
  return genuine.some((each) => each.length === given.length && timingSafeEqual(each, given))
}

/** `SECRET_KEY`; under the embedded database it is made and kept in `DATA_DIR`. Throws a line for the operator. */
export function secretKey(): string {
  if (config.SECRET_KEY) return config.SECRET_KEY
  if (config.DATABASE_URL) throw new Error('SECRET_KEY: is required when DATABASE_URL is set')
  return keptSecret(join(config.DATA_DIR, 'secret.key'))
}

let present: Buffer | undefined

const key = () => (present ??= decoded(secretKey()))
const keys = () => (config.SECRET_KEY_OLD ? [key(), decoded(config.SECRET_KEY_OLD)] : [key()])
const signed = (text: string, key: Buffer) =>
  createHmac('sha256', key).update(`sign:${text}`).digest('base64url')
const decoded = (text: string) => Buffer.from(text, text.length === 64 ? 'hex' : 'base64')

/** Tells keys apart, and nothing about them. */
const idOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 8)
