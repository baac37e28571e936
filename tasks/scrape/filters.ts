import type { Filters } from '../../sql/scrape-jobs.ts'
import { pathGlob } from './glob.ts'
import type { Reference } from './references.ts'
import { expectedSorts, nameOf, type Sort, sortOf, typeEndings } from './sort.ts'

type Preset = NonNullable<Filters['presets']>[number]

/** How the file is referred to. */
export type Hint = Pick<Reference, 'kind' | 'role'>

export type Filter = {
  /** Before the request, and for each redirect; the start page is not asked about. */
  wants: (url: URL, hint: Hint) => boolean
  /** After the headers; `contentLength` in bytes, null when unknown. Of the start page nothing is asked. */
  accepts: (
    answer: { url: URL; contentType: string | null; contentLength: number | null },
    hint: Hint,
  ) => boolean
  /** Decoded bytes past which a file is dropped; the start page never is. */
  maxBytes: number | null
  /** False: pages are read for what they refer to, and not saved. */
  savesPages: boolean
}

const ESSENTIAL_BYTES = 5 * 1024 ** 2
const bytesOf = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 }

const allowedBy: Record<Preset, (sort: Sort) => boolean> = {
  html_only: (sort) => sort === 'html',
  images_only: (sort) => sort === 'html' || sort === 'image',
  no_images: (sort) => sort !== 'image',
  no_videos: (sort) => sort !== 'video',
  no_media: (sort) => sort !== 'image' && sort !== 'video' && sort !== 'audio',
  essential_only: (sort) => sort === 'html' || sort === 'style' || sort === 'script',
  no_tracking: () => true,
}

/** Every filter must hold, so presets narrow each other. `start` is the job's URL, against which a third party is told. */
export async function parseFilters(
  { presets: given = [], include_patterns, exclude_patterns, max_size, blocked_extensions }: Filters,
  { htmlOnly, start }: { htmlOnly: boolean; start: URL },
): Promise<Filter> {
  const presets = new Set(htmlOnly ? [...given, 'html_only' as const] : given)
  const included = (include_patterns ?? []).map(pathGlob)
  const excluded = (exclude_patterns ?? []).map(pathGlob)
  const blocked = (blocked_extensions ?? []).map(ending).filter((one) => one !== '.')
  // The list costs 30 ms and 10 MB, which only who asks for it pays.
  const { isTracker } = presets.has('no_tracking') ? await import('./tracking.ts') : {}
  const limits = [
    ...(max_size ? [parseSize(max_size)] : []),
    ...(presets.has('essential_only') ? [ESSENTIAL_BYTES] : []),
  ]
  const maxBytes = limits.length > 0 ? Math.min(...limits) : null

  const keeps = (sort: Sort) => Array.from(presets).every((preset) => allowedBy[preset](sort))
  const blocks = (name: string) => blocked.some((one) => name.endsWith(one))

  return {
    wants(url, { kind, role }) {
      if (excluded.some((matches) => matches(url.pathname))) return false
      if (included.length > 0 && !included.some((matches) => matches(url.pathname))) return false
      if (blocks(nameOf(url))) return false
      if (kind === 'requisite' && role !== 'style' && role !== 'font' && isTracker?.(url, start)) return false
      const sorts = expectedSorts(url, role)
      return sorts.length === 0 || sorts.some(keeps)
    },
    accepts({ url, contentType, contentLength }, { role }) {
      if (maxBytes !== null && contentLength !== null && contentLength > maxBytes) return false
      if (blocked.length > 0 && typeEndings(url, contentType).some(blocks)) return false
      return keeps(sortOf(url, contentType, role))
    },
    maxBytes,
    savesPages: !presets.has('images_only'),
  }
}

/** Bytes of `500KB`, `5MB`, `1GB`. */
function parseSize(text: string): number {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([KMG]?B)\s*$/i.exec(text) ?? []
  if (!unit) throw new RangeError(`${text} is no size`)
  return Math.floor(Number(number) * bytesOf[unit.toUpperCase() as keyof typeof bytesOf])
}

/** `JPG`, `.jpg` and `*.jpg` alike. */
const ending = (extension: string) =>
  `.${extension
    .trim()
    .toLowerCase()
    .replace(/^\*?\.*/, '')}`
