/** What browsers send of a query in a page that is not UTF-8: its characters in the page's own encoding. */
export function encodeQuery(address: string, encoding: string): string {
  if (UNICODE.test(encoding)) return address
  const start = address.indexOf('?')
  if (start < 0) return address
  const hash = address.indexOf('#', start)
  const query = address.slice(start, hash < 0 ? undefined : hash)
  const codes = codesOf(encoding)
  // oxlint-disable-next-line no-control-regex
  const encoded = query.replace(/[^\0-\x7f]/gu, (c) => codes.get(c) ?? `%26%23${c.codePointAt(0)}%3B`)
  return address.slice(0, start) + encoded + (hash < 0 ? '' : address.slice(hash))
}

/** Of these the query is sent as UTF-8; the last is no page's encoding any more. */
const UNICODE = /^(utf-|iso-2022-jp)/

const known = new Map<string, Map<string, string>>()

/** For each character its bytes, percent-encoded; what three and more bytes encode is left out. */
function codesOf(encoding: string): Map<string, string> {
  let codes = known.get(encoding)
  if (codes) return codes
  known.set(encoding, (codes = new Map()))
  const decoder = new TextDecoder(encoding)
  const decode: Decode = (bytes) => decoder.decode(bytes)
  for (let first = 0x80; first <= 0xff; first++) {
    if (keep(codes, decode, first)) continue
    for (let second = 0x40; second <= 0xfe; second++) keep(codes, decode, first, second)
  }
  return codes
}

type Decode = (bytes: Uint8Array) => string

function keep(codes: Map<string, string>, decode: Decode, ...bytes: number[]): boolean {
  const [character, ...rest] = decode(Uint8Array.from(bytes))
  if (!character || character === '\ufffd' || rest.length > 0) return false
  if (!codes.has(character)) codes.set(character, bytes.map(percent).join(''))
  return true
}

const percent = (byte: number) =>
  byte < 0x80 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`
