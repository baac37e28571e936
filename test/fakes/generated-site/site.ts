import { randomOf } from '../site/html.ts'
import { healthy, type Link, type Page } from './page.ts'
import type { Plant } from './plant.ts'

export type Size = {
  pages?: number
  /** Internal links on each page, beside those to its neighbours. */
  links?: number
  /** Of one page, about. */
  kilobytes?: number
  seed?: number
}

/** Children of a page in the tree that makes every page reachable: 10,000 pages are four clicks deep. */
const CHILDREN = 12

/** A site without faults, into which faults are planted; it knows what an exact audit finds. */
export class GeneratedSite {
  readonly pages: Page[] = []
  /** How often each fault is planted. */
  readonly times: number
  readonly seed: number
  readonly #expected = new Map<Page, Set<string>>()
  readonly #leaves: Page[]
  readonly #bytes: number

  constructor({ pages: count = 2000, links = 20, kilobytes = 14, seed = 1 }: Size) {
    this.seed = seed
    this.times = Math.max(1, Math.floor(count / 300))
    this.#bytes = Math.max(2000, kilobytes * 1000 - 1500 - links * 70)
    for (let n = 0; n < count; n++)
      this.pages.push(
        healthy(n === 0 ? '/' : `/docs/chapter-${n % 40}/page-${n}`, seed * 1_000_003 + n, this.#bytes),
      )
    const random = randomOf(seed)
    this.pages.forEach((page, n) => (page.links = linksOf(n, this.pages, links, random)))
    // A page without children may get a fault: no other hangs on it.
    const first = Math.ceil((count - 1) / CHILDREN)
    this.#leaves = this.pages
      .slice(first)
      .map((page) => ({ page, at: random() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ page }) => page)
  }

  /** The next page that has no fault yet. */
  take(): Page {
    const page = this.#leaves.pop()
    if (!page) throw new Error('the site is too small for so many faults')
    return page
  }

  /** A new page that nothing leads to and no sitemap lists, until somebody sees to it. */
  add(path: string, given: Partial<Page> = {}): Page {
    const page = {
      ...healthy(path, this.seed * 7 + this.pages.length, this.#bytes),
      isListed: false,
      links: [{ to: this.pages[0]! }],
      ...given,
    }
    this.pages.push(page)
    return page
  }

  /** Plants faults of single pages, each on as many as are due. */
  plant(plants: readonly Plant[]) {
    for (const [codes, plant] of plants)
      for (let time = 0; time < this.times; time++) {
        const page = this.take()
        plant(page, this.seed * 1000 + time)
        this.expect(codes, page)
      }
  }

  /** What an audit has to find on pages; codes are parted by spaces. */
  expect(codes: string, ...pages: Page[]) {
    for (const page of pages) {
      const known = this.#expected.get(page) ?? new Set()
      this.#expected.set(page, known)
      for (const code of codes.split(' ')) known.add(code)
    }
  }

  /** The codes of every page, by its path. */
  get expected(): Map<string, string[]> {
    return new Map(this.pages.map((page) => [page.path, [...(this.#expected.get(page) ?? [])].toSorted()]))
  }
}

/** The page's children in the tree, its neighbours, then others at random. */
function linksOf(index: number, pages: readonly Page[], links: number, random: () => number): Link[] {
  const children = Array.from({ length: CHILDREN }, (_, child) => index * CHILDREN + child + 1)
  const near = [0, Math.max(0, index - 1), Math.min(pages.length - 1, index + 1)]
  const others = Array.from({ length: Math.max(0, links - CHILDREN) }, () =>
    Math.floor(random() * pages.length),
  )
  const targets = new Set([...near, ...children, ...others].filter((target) => target < pages.length))
  targets.delete(index)
  return [...targets].map((target) => ({ to: pages[target]! }))
}
