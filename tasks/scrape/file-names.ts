import { extensions, lookup } from 'mime-types'

/** Bytes of one name, in UTF-8; file systems take 255, but of whole paths Windows takes 260 characters. */
const NAME = 72

/** Characters of a segment that are looked at; more than a name may have. */
const LENGTH = 300

// Windows' forbidden characters, controls, what cannot be seen, and what is no character.
const FORBIDDEN =
  // oxlint-disable-next-line no-control-regex
  /[<>:"/\\|?*\0-\x1f\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufdd0-\ufdef\ufeff\ufff0-\uffff]/g
/** Devices, whatever the extension. */
const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i

/** A segment of an address as a name that every file system takes; the result may be shared by several segments. */
export function safeName(segment: string): string {
  const name = decoded(segment)
    .slice(0, LENGTH)
    .normalize('NFC')
    .toWellFormed()
    .replace(FORBIDDEN, '_')
    .replace(/^ +|[. ]+$/g, (dots) => '_'.repeat(dots.length))
  return RESERVED.test(name) ? `_${name}` : name || '_'
}

/** The name, cut to what is allowed; the same when it is short enough. */
export function cut(name: string, bytes = NAME): string {
  if (Buffer.byteLength(name) <= bytes) return name
  const kept = Buffer.from(name)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd$/, '')
  return kept.replace(/[. ]+$/, '')
}

/** Names that are one on some file system are equal here: Windows and macOS ignore case and composition. */
export const folded = (path: string) => path.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC')

/** Splits a file's name where its extension begins, and adds the one that its content type needs. */
export function splitName(name: string, contentType: string | null): { stem: string; extension: string } {
  const [, stem = name, written = ''] = /^(.+)\.([a-z0-9]{1,10})$/i.exec(name) ?? []
  const needed = neededExtension(written.toLowerCase(), contentType)
  return needed === null ? { stem, extension: written } : { stem: name, extension: needed }
}

/** Other names of types. */
const ALIASES: Record<string, string | undefined> = {
  'application/javascript': 'text/javascript',
  'application/x-javascript': 'text/javascript',
  'application/ecmascript': 'text/javascript',
  'text/ecmascript': 'text/javascript',
  'text/x-javascript': 'text/javascript',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
}
/** Servers say this of anything. */
const UNSPECIFIC = /^(application|binary)\/(octet-stream|x-download|force-download|unknown|download)$/
/** Files have no type but their extension: with another one browsers would not take them for what they are. */
const STRICT = /^(text\/(html|css|javascript)|application\/xhtml\+xml|image\/.*)$/
/** These name what made the file, not what it is. */
const PROGRAMS = /^(php\d?|phtml|aspx?|ashx|jspx?|cgi|pl|py|rb|do|action|cfm|exe|dll|[sx]?html?)$/

/** What to add after the written extension; null when that one will do. */
function neededExtension(written: string, contentType: string | null): string | null {
  const named = contentType?.split(';')[0]!.trim().toLowerCase() ?? ''
  const type = ALIASES[named] ?? named
  const known = Object.hasOwn(extensions, type) ? extensions[type]! : []
  if (known.length === 0 || UNSPECIFIC.test(type) || known.includes(written)) return null
  const isPlausible = !STRICT.test(type) && !PROGRAMS.test(written) && lookup(written) !== false
  if (isPlausible) return null
  return type === 'audio/mpeg' ? 'mp3' : known[0]!
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment // a URIError: these bytes are not UTF-8
  }
}
