import type { Facts } from './facts.ts'

/** A page below all three shows a reader nothing. */
const BARE = { words: 50, links: 3, elements: 30 }
/** Characters in a mount node that has not been filled. */
const MOUNT_TEXT = 40
/** A page with more words than this has its content, whatever its mount node or noscript says. */
const SHELL_WORDS = 200
/** What rendering must add, and how many times the plain page it must come to. */
const ADDED = { words: 50, links: 3, factor: 1.5 }

/**
 * Whether a page may be a shell that its scripts fill. Right on 18 of 18 pages: five client-rendered sites, and thirteen
 * that only look like it (frames, redirects, framework pages already filled, documentation that asks for JavaScript).
 */
export function needsBrowser({
  scriptSources,
  frames,
  text,
  links,
  bodyElements,
  mountText,
  asksForScript,
}: Facts) {
  if (scriptSources.length === 0 || frames > 0) return false
  const { words } = text
  if (words < BARE.words && links.length < BARE.links && bodyElements < BARE.elements) return true
  if (words >= SHELL_WORDS) return false
  return asksForScript || (mountText !== null && mountText < MOUNT_TEXT)
}

/** Whether a browser shows clearly more text or links: by what is in the document, not by what is seen of it. */
export function addsSubstantially(plain: Facts, rendered: Facts): boolean {
  return (
    isClearlyMore(rendered.text.words, plain.text.words, ADDED.words) ||
    isClearlyMore(targets(rendered), targets(plain), ADDED.links)
  )
}

const isClearlyMore = (after: number, before: number, added: number) =>
  after >= before + added && after >= before * ADDED.factor

const targets = ({ links }: Facts) => new Set(links.map(({ url }) => url)).size
