import * as targets from '../../../sql/targets.ts'
import { resolver } from '../url.ts'
import type { Page } from '../view.ts'
import { LINK, SOCIAL } from './uses.ts'

/** Distinct targets one crawl checks at most; what is found later is not looked at. */
const TARGETS = 5_000
/** Distinct targets kept of one page. */
const OF_PAGE = 1_000

/** An address and what a page uses it for: bits of `uses.ts`. `internal`: it belongs to the site. */
export type Use = { url: string; uses: number; internal: boolean }

/** What a page uses besides the pages of its site. */
export function usesOf({ facts, links, visit }: Page): Use[] {
  const found = new Map<string, Use>()
  const add = (url: string, uses: number, internal: () => boolean) => {
    const known = found.get(url)
    if (known) known.uses |= uses
    else if (found.size < OF_PAGE) found.set(url, { url, uses, internal: internal() })
  }
  const resolve = resolver(facts.base)
  const name = (href: string, uses: number) => {
    const to = resolve(href)
    if (to && to.href !== visit.url.href) add(to.href, uses, () => visit.isInternal(to))
  }
  for (const { href, uses } of facts.resources) name(href, uses)
  if (facts.openGraph['image'] !== undefined) name(facts.openGraph['image'], SOCIAL)
  for (const url of links.externals) add(url, LINK, () => false)
  return [...found.values()]
}

/** Gathers the targets of one crawl while its pages come in; the crawl has one such writer at a time. */
export class Collector {
  readonly #known = new Map<string, { id: number; uses: number }>()
  #last = 0

  /** Goes on where the slices before left off. */
  async load(crawlId: number) {
    for (const { url, id, uses } of await targets.known(crawlId)) {
      this.#known.set(url, { id, uses })
      this.#last = id
    }
  }

  /** What is to be written with a page: its targets by id, and those that are new or used in a new way. */
  collect(uses: readonly Use[]): targets.Collected {
    const collected: targets.Collected = { ids: [], uses: [], fresh: [] }
    for (const use of uses) {
      const known = this.#known.get(use.url)
      if (!known && this.#known.size >= TARGETS) continue
      const id = known?.id ?? ++this.#last
      if (!known || (known.uses | use.uses) !== known.uses) {
        this.#known.set(use.url, { id, uses: (known?.uses ?? 0) | use.uses })
        collected.fresh.push({ id, ...use })
      }
      collected.ids.push(id)
      collected.uses.push(use.uses)
    }
    return collected
  }
}
