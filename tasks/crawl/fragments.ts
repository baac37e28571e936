import type { Facts } from './facts.ts'

/** Pages with more ids than this are not asked which they have. */
const ANCHORS = 2000
/** Starts a text directive, which browsers take off the fragment. */
const DIRECTIVE = ':~:'

/** The fragment of an address as written, decoded; null when it leads to no certain place: the top, or a client's route. */
export function fragmentOf(href: string): string | null {
  const at = href.indexOf('#')
  if (at < 0) return null
  const fragment = decode(
    href
      .slice(at + 1)
      .split(DIRECTIVE, 1)[0]!
      .trim(),
  )
  return fragment === '' || /^([!/]|top$)/i.test(fragment) ? null : fragment
}

/** A fragment, or an id, as 32 bits. */
export function anchorKey(anchor: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < anchor.length; i++) hash = Math.imul(hash ^ anchor.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}

/** The places a page has, as keys in ascending order; null when they are too many. */
export function anchorKeys({ anchors }: Facts): number[] | null {
  if (anchors.size > ANCHORS) return null
  const keys = new Set<number>()
  for (const anchor of anchors) keys.add(anchorKey(anchor)).add(anchorKey(decode(anchor)))
  return [...keys].toSorted((a, b) => a - b)
}

function decode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
