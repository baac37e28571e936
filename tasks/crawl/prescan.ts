const blank = /[\t\n\f\r ]/
const blankOrSlash = /[\t\n\f\r /]/
const letter = /[a-z]/

type EncodingOf = (label: string) => string | undefined
type Attribute = { name: string; value: string; end: number }

/**
 * The encoding that a page declares in its first bytes: "prescan a byte stream to determine its encoding" of the HTML
 * standard. `start` is those bytes, each as one character.
 */
export function prescan(start: string, encodingOf: EncodingOf): string | undefined {
  if (start.startsWith('<\0?\0x\0')) return 'utf-16le'
  if (start.startsWith('\0<\0?\0x')) return 'utf-16be'
  const bytes = start.toLowerCase()
  if (!bytes.includes('charset') && !bytes.startsWith('<?xml')) return undefined
  return declaredByMeta(bytes, encodingOf) ?? declaredByXml(bytes, encodingOf)
}

function declaredByMeta(bytes: string, encodingOf: EncodingOf): string | undefined {
  let at = bytes.indexOf('<')
  while (at !== -1) {
    let next: number
    if (bytes.startsWith('<!--', at)) {
      const end = bytes.indexOf('-->', at + 2)
      next = end === -1 ? -1 : end + 3
    } else if (bytes.startsWith('<meta', at) && blankOrSlash.test(bytes[at + 5] ?? '')) {
      const { found, end } = attributes(bytes, at + 5)
      next = end
      const encoding = next === -1 ? undefined : encodingOfMeta(found, encodingOf)
      if (encoding) return encoding
    } else if (letter.test(bytes[bytes[at + 1] === '/' ? at + 2 : at + 1] ?? '')) {
      const name = /[\t\n\f\r >]/.exec(bytes.slice(at))
      next = name ? attributes(bytes, at + name.index).end : -1
    } else if (/[!/?]/.test(bytes[at + 1] ?? '')) next = bytes.indexOf('>', at)
    else next = at + 1
    if (next === -1) return undefined
    at = bytes.indexOf('<', next)
  }
  return undefined
}

function encodingOfMeta(attributes: ReadonlyMap<string, string>, encodingOf: EncodingOf): string | undefined {
  const own = attributes.get('charset')
  const content = attributes.get('content')
  // Of a pragma only the content counts, and without a pragma only the attribute.
  const label =
    own ??
    (content !== undefined && attributes.get('http-equiv') === 'content-type' ? labelIn(content) : undefined)
  const encoding = label === undefined ? undefined : encodingOf(label)
  // Read as bytes so far, the page cannot be what these say it is.
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return 'utf-8'
  return encoding === 'x-user-defined' ? 'windows-1252' : encoding
}

/** "Extracting a character encoding from a meta element": `text/html; charset=…`. */
function labelIn(content: string): string | undefined {
  const found =
    /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))/.exec(content)
  return found?.[1] ?? found?.[2] ?? found?.[3]
}

function declaredByXml(bytes: string, encodingOf: EncodingOf): string | undefined {
  const found =
    /^<\?xml[^>]*?[\t\n\f\r ]encoding[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^">]*)"|'([^'>]*)')[^>]*>/.exec(bytes)
  const encoding = found ? encodingOf(found[1] ?? found[2] ?? '') : undefined
  return encoding === 'utf-16le' || encoding === 'utf-16be' ? 'utf-8' : encoding
}

/** All attributes from here to the end of the tag; `end` is -1 when the bytes end first. */
function attributes(bytes: string, from: number): { found: Map<string, string>; end: number } {
  const found = new Map<string, string>()
  let at = from
  for (;;) {
    while (blankOrSlash.test(bytes[at] ?? '')) at += 1
    if (at >= bytes.length) return { found, end: -1 }
    if (bytes[at] === '>') return { found, end: at + 1 }
    const attribute = attributeAt(bytes, at)
    if (!attribute) return { found, end: -1 }
    if (!found.has(attribute.name)) found.set(attribute.name, attribute.value)
    at = attribute.end
  }
}

/** "Get an attribute" of the standard; null when the bytes end within it. */
function attributeAt(bytes: string, from: number): Attribute | null {
  let at = from
  while (at < bytes.length && !(bytes[at] === '=' && at > from) && !/[\t\n\f\r />]/.test(bytes[at] ?? ''))
    at += 1
  const name = bytes.slice(from, at)
  while (blank.test(bytes[at] ?? '')) at += 1
  if (at >= bytes.length) return null
  if (bytes[at] !== '=') return { name, value: '', end: at }
  at += 1
  while (blank.test(bytes[at] ?? '')) at += 1
  const quote = bytes[at]
  if (quote === '"' || quote === "'") {
    const end = bytes.indexOf(quote, at + 1)
    return end === -1 ? null : { name, value: bytes.slice(at + 1, end), end: end + 1 }
  }
  const start = at
  while (at < bytes.length && !/[\t\n\f\r >]/.test(bytes[at] ?? '')) at += 1
  return at >= bytes.length ? null : { name, value: bytes.slice(start, at), end: at }
}
