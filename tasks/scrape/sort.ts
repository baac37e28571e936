import { extensions, lookup } from 'mime-types'

import type { Role } from './references.ts'

/** What filters tell apart. */
export type Sort = 'html' | 'style' | 'script' | 'image' | 'video' | 'audio' | 'other'

/** What a file may be, before the request: by its extension where that tells, else by the element; none: anything. */
export function expectedSorts(url: URL, role: Role): readonly Sort[] {
  const name = nameOf(url)
  // A wiki's page about a file bears the file's name.
  const named = role === 'link' && /:|%3a/.test(name) ? null : sortOfName(name)
  return named ? [named] : sortsOfRole[role]
}

/** What it is, after the headers: by the content type, where there is one that tells. */
export function sortOf(url: URL, contentType: string | null, role: Role): Sort {
  if (contentType === null) return expectedSorts(url, role)[0] ?? 'other'
  const [asked] = sortsOfRole[role]
  if (contentType === 'application/octet-stream')
    return sortOfName(nameOf(url)) ?? (asked === 'html' ? 'other' : (asked ?? 'other'))
  // Browsers run and apply what they asked for.
  if (contentType === 'text/plain' && (asked === 'script' || asked === 'style')) return asked
  return sortOfType(contentType)
}

/** The path's last segment in lower case. */
export const nameOf = ({ pathname }: URL) => pathname.slice(pathname.lastIndexOf('/') + 1).toLowerCase()

/** `.jpg` and the like for what a type is usually called; none where the URL's own extension means the same type. */
export function typeEndings(url: URL, contentType: string | null): string[] {
  if (contentType === null || contentType === 'application/octet-stream') return []
  const known = aliases[contentType] ?? contentType
  const extension = extensionOf(nameOf(url))
  if (extension && lookup(extension) === known) return []
  return (extensions[known] ?? []).map((name) => `.${name}`)
}

const extensionOf = (name: string) => /\.(\w+)$/.exec(name)?.[1]

/** Names in use that the registry does not have, or has without extensions. */
const aliases: Record<string, string> = {
  'application/javascript': 'text/javascript',
  'application/x-javascript': 'text/javascript',
  'application/font-woff': 'font/woff',
  'application/x-pdf': 'application/pdf',
  'application/x-zip-compressed': 'application/zip',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
}

const sortsOfRole: Record<Role, readonly Sort[]> = {
  link: ['html'],
  refresh: ['html'],
  frame: ['html'],
  image: ['image'],
  icon: ['image'],
  media: ['video', 'audio'],
  script: ['script'],
  style: ['style'],
  font: ['other'],
  object: [],
  other: [],
}

/** Files that are never pages; of other endings, such as `.php` or `.2`, nothing is known. */
const files =
  /^(?:7z|apk|bz2|csv|deb|dmg|docx?|eot|epub|exe|gz|iso|jar|json|msi|od[pst]|otf|pdf|pptx?|rar|rpm|rss|srt|tar|tgz|ttf|txt|vtt|wasm|webmanifest|woff2?|xlsx?|xml|xz|zip)$/

function sortOfName(name: string): Sort | null {
  const extension = extensionOf(name)
  // MIME has .ts as video, where it is TypeScript at least as often.
  if (!extension || /^m?ts$/.test(extension)) return null
  if (files.test(extension)) return 'other'
  const type = lookup(extension)
  const sort = type ? sortOfType(type) : 'other'
  return sort === 'other' ? null : sort
}

function sortOfType(type: string): Sort {
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (type === 'text/css') return 'style'
  if (/^(?:text|application)\/(?:x-)?(?:java|ecma|j|live)script/.test(type)) return 'script'
  if (/^application\/(?:ogg|dash\+xml|(?:vnd\.apple\.|x-)mpegurl)$/i.test(type)) return 'video'
  return (/^(?:image|video|audio)(?=\/)/.exec(type)?.[0] as Sort | undefined) ?? 'other'
}
