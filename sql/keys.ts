import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'seo_'
const RANDOM_BYTES = 20 // 160 bits
const RANDOM_LENGTH = 27 // 62^27 > 2^160
const CHECKSUM_LENGTH = 6 // 62^6 > 2^32
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

/** A new API key: prefix, 160 random bits, checksum. It is shown once; we keep its hash. */
export function makeKey(): string {
  const random = BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`)
  const body = PREFIX + base62(random, RANDOM_LENGTH)
  return body + checksum(body)
}

/** Whether a text can be a key at all, so that junk is refused without a query. */
export function looksLikeKey(text: string): boolean {
  return SHAPE.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)))
}

/** What is stored of a key. It is random enough that a slow hash would only cost. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** The key as its owner may see it again: the first and last four characters. */
export function maskKey(key: string): string {
  return key.slice(0, 4) + '•'.repeat(Math.max(0, key.length - 8)) + key.slice(-4)
}

const checksum = (body: string) => base62(BigInt(crc32(body)), CHECKSUM_LENGTH)

function base62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; text.length < length; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text
  return text
}
