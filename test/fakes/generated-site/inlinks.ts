import type { Page } from './page.ts'
import type { GeneratedSite } from './site.ts'

/** Counts what the links of the finished site amount to: pages with one link, with nofollow links alone, with both kinds. */
export function plantInlinks(site: GeneratedSite) {
  const byPath = new Map(site.pages.map((page) => [page.path, page]))
  const inlinks = new Map<Page, { followed: number; unfollowed: number }>()
  for (const page of site.pages) {
    if (page.status >= 400 || page.body !== null) continue
    const targets = new Map<Page, boolean>()
    for (const { to, nofollow = false } of page.links) {
      const target = typeof to === 'string' ? byPath.get(to.replace('{origin}', '')) : to
      if (target && target !== page) targets.set(target, (targets.get(target) ?? true) && nofollow)
    }
    for (const [target, nofollow] of targets) {
      const known = inlinks.get(target) ?? { followed: 0, unfollowed: 0 }
      known[nofollow ? 'unfollowed' : 'followed']++
      inlinks.set(target, known)
    }
  }
  for (const page of site.pages.slice(1)) {
    if (!page.isIndexable) continue
    const { followed, unfollowed } = inlinks.get(page) ?? { followed: 0, unfollowed: 0 }
    if (followed === 1) site.expect('page_weakly_linked', page)
    if (followed === 0 && unfollowed > 0) site.expect('link_nofollow_only', page)
    if (followed > 0 && unfollowed > 0) site.expect('link_follow_nofollow_mix', page)
    if (followed + unfollowed === 0 && page.isListed) site.expect('page_orphan', page)
  }
}
