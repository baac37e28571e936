import type { Page } from './page.ts'
import type { GeneratedSite } from './site.ts'

/** More clicks from the start page than this are deep. */
const DEEP = 4

/**
 * Counts what the links of the finished site amount to: pages with one link, with nofollow links alone, with both
 * kinds, and far from the start page.
 */
export function plantInlinks(site: GeneratedSite) {
  const byPath = new Map(site.pages.map((page) => [page.path, page]))
  const pageAt = (address: string) => byPath.get(address.replace('{origin}', ''))
  const outlinks = new Map<Page, Page[]>()
  const inlinks = new Map<Page, { followed: number; unfollowed: number }>()
  for (const page of site.pages) {
    if (page.status >= 400 || page.body !== null) continue
    const targets = new Map<Page, boolean>()
    for (const { to, nofollow = false } of page.links) {
      const target = typeof to === 'string' ? pageAt(to) : to
      if (target && target !== page) targets.set(target, (targets.get(target) ?? true) && nofollow)
    }
    outlinks.set(page, [...targets.keys()])
    for (const [target, nofollow] of targets) {
      const known = inlinks.get(target) ?? { followed: 0, unfollowed: 0 }
      known[nofollow ? 'unfollowed' : 'followed']++
      inlinks.set(target, known)
    }
  }
  const near = within(DEEP, site.pages[0]!, (page) =>
    (outlinks.get(page) ?? []).map((target) => landing(target, pageAt)),
  )
  for (const page of site.pages)
    if (page.status === 200 && isHtml(page) && inlinks.has(page) && !near.has(page))
      site.expect('page_deep', page)
  for (const page of site.pages.slice(1)) {
    if (!page.isIndexable) continue
    const { followed, unfollowed } = inlinks.get(page) ?? { followed: 0, unfollowed: 0 }
    if (followed === 1) site.expect('page_weakly_linked', page)
    if (followed === 0 && unfollowed > 0) site.expect('link_nofollow_only', page)
    if (followed > 0 && unfollowed > 0) site.expect('link_follow_nofollow_mix', page)
    if (followed + unfollowed === 0 && page.isListed) site.expect('page_orphan', page)
  }
}

const isHtml = ({ headers }: Page) => (headers['content-type'] ?? 'text/html').startsWith('text/html')

/** The pages at most so many clicks away. */
function within(clicks: number, start: Page, clicked: (page: Page) => Page[]): Set<Page> {
  const near = new Set([start])
  let level = [start]
  for (let click = 1; click <= clicks; click++) {
    level = level.flatMap(clicked).filter((page) => !near.has(page))
    for (const page of level) near.add(page)
  }
  return near
}

/** Where redirects lead in the end; a ring of them, anywhere. */
function landing(page: Page, pageAt: (address: string) => Page | undefined): Page {
  const passed = new Set<Page>()
  for (let at: Page | undefined = page; at && !passed.has(at); at = pageAt(at.headers['location'] ?? '')) {
    page = at
    passed.add(at)
  }
  return page
}
