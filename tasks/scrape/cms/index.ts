import { builders } from './builders.ts'
import { communities } from './communities.ts'
import { enterprise } from './enterprise.ts'
import { generators } from './generators.ts'
import { publishing } from './publishing.ts'
import { shops } from './shops.ts'
import type { Answered, System } from './system.ts'
import { type Traces, tracesOf } from './traces.ts'

export type { Answered }

export const systems: readonly System[] = [
  ...publishing,
  ...shops,
  ...builders,
  ...enterprise,
  ...communities,
  ...generators,
]

/** The content management system that made a page, by its name; null when nothing tells. */
export function detectCms(page: Answered): string | null {
  const traces = tracesOf(page.html, page.url)
  for (const shows of signs) {
    const found = systems.find((system) => shows(system, page, traces))
    if (found) return found.name
  }
  return null
}

/** The surest first, since a page can bear marks of two: what a system says of itself outdoes what it leaves behind. */
const signs: ((system: System, page: Answered, traces: Traces) => boolean | undefined)[] = [
  ({ generator }, _page, { generators }) =>
    generator && generators.some((text) => generator.test(text.trim())),
  ({ headers = {} }, page) =>
    Object.entries(headers).some(
      ([name, value]) => page.headers[name] !== undefined && value.test(page.headers[name]),
    ),
  ({ cookie }, { setCookies }) =>
    cookie && setCookies.some((text) => cookie.test(text.split('=', 1)[0]!.trim())),
  ({ loads }, _page, traces) => loads?.test(traces.loads),
  ({ markup }, _page, traces) => markup?.test(traces.markup),
  ({ host }, { url }) => host?.test(url.hostname),
]
