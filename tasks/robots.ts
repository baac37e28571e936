import { isUtf8 } from 'node:buffer'

import { FetchFault } from './fault.ts'
import { fetchFollowing, type FetchOptions } from './http.ts'
import { type Pattern, pattern, normalise } from './path-pattern.ts'

export { pathRules } from './path-pattern.ts'

/** RFC 9309 asks for at least this much of a file; Google reads no more. */
const maxBytes = 500 * 1024
const maxRedirects = 5

export type Robots = {
  /** Whether an agent (product token) may fetch a path with its query. */
  allows: (path: string, agent: string) => boolean
  /** As written, so perhaps relative. */
  sitemaps: string[]
}

/**
 * Fetches a site's robots.txt. By RFC 9309 a 4xx status means that everything is allowed; a 5xx, or 0 when there was no
 * answer at all, that nothing is. After too many redirects the status is that of the last.
 */
export async function readRobots(
  origin: URL,
  options: FetchOptions = {},
): Promise<{ status: number; text: string }> {
  try {
    const { answer } = await fetchFollowing(new URL('/robots.txt', origin), {
      maxBytes,
      ...options,
      maxRedirects,
    })
    const served = answer.status >= 200 && answer.status < 300
    return { status: answer.status, text: served ? decode(answer.body) : '' }
  } catch (error) {
    if (error instanceof FetchFault) return { status: 0, text: '' }
    throw error
  }
}

/** Reads a robots.txt by RFC 9309, and as Google does where that is silent. */
export function parseRobots(file: string | Buffer): Robots {
  const { groups, sitemaps } = read(typeof file === 'string' ? file : decode(file.subarray(0, maxBytes)))
  const everyone = groups.get('*') ?? []
  return {
    sitemaps,
    allows(path, agent) {
      if (/^\/robots\.txt(\?|$)/.test(path)) return true
      return decide(groups.get(tokenOf(agent)) ?? everyone, normalise(path))
    },
  }
}

type Rule = { allow: boolean; pattern: Pattern }

/** The longest matching rule decides, and of two as long the one that allows. */
function decide(rules: readonly Rule[], path: string): boolean {
  let longest = -1
  let allowed = true
  for (const { allow, pattern } of rules) {
    if (pattern.length < longest || (pattern.length === longest && !allow)) continue
    if (!pattern.matches(path)) continue
    longest = pattern.length
    allowed = allow
  }
  return allowed
}

/** All groups by agent, those of one agent merged. Lines of other kinds do not end a group. */
function read(text: string) {
  const groups = new Map<string, Rule[]>()
  const sitemaps: string[] = []
  let named: Rule[][] = []
  let naming = false
  for (const line of text.slice(0, maxBytes).split(/[\r\n]+/)) {
    const { key, value } = lineOf(line)
    if (key === 'user-agent') {
      if (!naming) named = []
      naming = true
      const token = tokenOf(value)
      const group = groups.get(token) ?? []
      groups.set(token, group)
      named.push(group)
    } else if (key === 'allow' || key === 'disallow') {
      naming = false
      const rules = value ? rulesOf(key === 'allow', value) : []
      for (const group of named) group.push(...rules)
    } else if (key === 'sitemap' && value) sitemaps.push(value)
  }
  return { groups, sitemaps }
}

/** A colon parts key and value; like Google we take white space for one where it is missing. */
function lineOf(line: string): { key: string; value: string } {
  const text = line.replace(/#.*/, '').trim()
  const colon = text.indexOf(':')
  const [key = '', value = ''] =
    colon === -1
      ? (/^(\S+)\s+(\S+)$/.exec(text)?.slice(1) ?? [])
      : [text.slice(0, colon), text.slice(colon + 1)]
  return { key: key.trim().toLowerCase(), value: value.trim() }
}

/** Who allows `/shop/index.html` allows `/shop/` too, as Google reads it. */
function rulesOf(allow: boolean, value: string): Rule[] {
  const index = allow ? /^(.*\/)index\.html?$/.exec(value)?.[1] : undefined
  const values = index === undefined ? [value] : [value, `${index}$`]
  return values.map((value) => ({ allow, pattern: pattern(value) }))
}

/** `SeoSuiteBot/1.0 (…)` is `seosuitebot`. */
const tokenOf = (agent: string) =>
  /^\*(\s|$)/.test(agent) ? '*' : (/^[\w-]+/.exec(agent)?.[0] ?? '').toLowerCase()

/** PostgreSQL takes no NUL in a text. */
const decode = (file: Buffer) =>
  file
    .toString(isUtf8(file) ? 'utf8' : 'latin1')
    .replace(/^\ufeff/, '')
    .replaceAll('\0', '')
