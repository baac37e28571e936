import type { Rule } from './rule.ts'

/** Agents named in a message. */
const NAMED = 5

/** Which agents of AI search and of those who ask it robots.txt lets in now, and let in before (null: not known). */
export type SeenAgents = {
  host: string
  letIn: readonly string[]
  before: readonly string[] | null
  shutOut: readonly string[]
}

/** robots.txt keeps out agents that it let in before: each is told of once, and again after it was let in. */
export const aiCrawlerBlocked: Rule<SeenAgents> = {
  type: 'ai_crawler_blocked',
  subject: ({ host }) => `host:${host}`,
  // Only what changed is judged, so nothing is told twice; and who is shut out next is told of at once.
  cooldownHours: 0,
  judge(seen) {
    if (newly(seen).length > 0) return seen.letIn.length === 0 ? 'critical' : 'warning'
    return seen.shutOut.length === 0 ? 'well' : null
  },
  message: {
    it: (seen) =>
      seen.letIn.length === 0
        ? `robots.txt di ${seen.host} ora esclude tutti gli agenti di ricerca e di AI`
        : `robots.txt di ${seen.host} ora esclude ${listed(newly(seen), 'e', 'altri')}`,
    en: (seen) =>
      seen.letIn.length === 0
        ? `robots.txt of ${seen.host} now keeps out all search and AI agents`
        : `robots.txt of ${seen.host} now keeps out ${listed(newly(seen), 'and', 'more')}`,
  },
  details: (seen) => ({ host: seen.host, blocked: newly(seen), blocked_in_all: seen.shutOut }),
  examples: {
    warning: [
      seen(['A', 'B'], ['A']),
      seen(['A', 'B', 'C'], ['A']),
      seen(['A', 'B'], ['A'], ['Old']),
      seen(['A', ...'BCDEFGHI'], ['A']),
    ],
    critical: [seen(['A', 'B'], []), seen(['B'], [], ['A'])],
    well: [seen(['A'], ['A']), seen(['A'], ['A', 'B']), seen(null, ['A'])],
    nothing: [
      // The first look; nothing new; agents that were not known before.
      seen(null, ['A'], ['B']),
      seen(['A'], ['A'], ['B']),
      seen(['A'], ['A', 'C'], ['B']),
      seen([], [], ['A', 'B']),
    ],
  },
}

/** Who was let in, and is not any more. */
const newly = ({ before, shutOut }: SeenAgents) => shutOut.filter((token) => before?.includes(token))

function listed(tokens: readonly string[], and: string, more: string): string {
  const rest = tokens.length - NAMED
  const names = rest > 0 ? [...tokens.slice(0, NAMED), `${rest} ${more}`] : tokens
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} ${and} ${names.at(-1)}`
}

/** Those of `before` that are not let in now are shut out, beside others. */
function seen(before: string[] | null, letIn: string[], others: string[] = []): SeenAgents {
  const lost = (before ?? []).filter((token) => !letIn.includes(token))
  return { host: 'example.com', before, letIn, shutOut: [...others, ...lost] }
}
