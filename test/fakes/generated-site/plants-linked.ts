import { addressOf, type Page } from './page.ts'
import { hide, leave } from './plant.ts'
import type { GeneratedSite } from './site.ts'

type Plant = (site: GeneratedSite, address: string) => void

const redirect = (to: string, status = 301): Partial<Page> => ({
  status,
  headers: { location: to },
  body: '',
  isIndexable: false,
})
const failed = (status: number): Partial<Page> => ({
  status,
  body: '<!doctype html><title>Failed</title>',
  isIndexable: false,
})
const file = (type: string, body: string): Partial<Page> => ({
  headers: { 'content-type': type },
  body,
  isIndexable: false,
})

/** Faults that need an address of their own, a sitemap, assets or another host. */
const plants: Plant[] = [
  (site, address) => link(site, added(site, 'http_4xx', address, failed(404)), 'link_internal_broken'),
  (site, address) => link(site, added(site, 'http_5xx', address, failed(500)), 'link_internal_broken'),
  (site, address) => link(site, added(site, 'page_blocked', address, failed(403))),
  (site, address) =>
    link(site, added(site, 'mime_type_mismatch', `${address}.pdf`, file('text/plain', 'A'.repeat(500)))),
  (site, address) => link(site, site.add(`${address}.css`, file('text/css', 'p{}')), 'link_to_resource'),
  (site, address) => {
    const empty = { ...file('text/html; charset=utf-8', ''), isIndexable: true }
    link(site, added(site, 'empty_response sitemap_page_missing', address, empty))
  },
  (site, address) =>
    link(site, added(site, 'redirect_internal', address, redirect('{origin}/')), 'link_to_redirect'),
  (site, address) => {
    const page = added(site, 'redirect_internal redirect_temporary', address, redirect('{origin}/', 302))
    link(site, page, 'link_to_redirect')
  },
  (site, address) => {
    const [first, second] = [3, 2, 1].map((left) =>
      added(
        site,
        'redirect_internal',
        `${address}-${left}`,
        redirect(left > 1 ? `{origin}${address}-${left - 1}` : '{origin}/'),
      ),
    )
    link(site, first!, 'link_to_redirect')
    site.expect('redirect_chain', first!, second!)
  },
  (site, address) => {
    const ring = [0, 1, 2].map((n) =>
      added(
        site,
        'redirect_internal redirect_loop',
        `${address}-${n}`,
        redirect(`{origin}${address}-${(n + 1) % 3}`),
      ),
    )
    link(site, ring[0]!, 'link_to_redirect')
  },
  (site, address) => {
    added(site, 'http_4xx', `${address}-gone`, failed(410))
    const page = redirect(`{origin}${address}-gone`)
    link(site, added(site, 'redirect_internal redirect_broken', address, page), 'link_to_redirect')
  },
  (site, address) => {
    const target = added(site, 'redirect_internal', address, redirect('{origin}/'))
    leave(link(site, target, 'link_to_redirect canonicalized canonical_to_redirect'), addressOf(target))
  },
  (site, address) => {
    const target = added(site, 'http_4xx', address, failed(404))
    leave(link(site, target, 'link_internal_broken canonicalized canonical_to_error'), addressOf(target))
  },
  (site, address) => {
    const target = added(site, 'http_4xx', address, failed(404))
    const page = link(site, target, 'link_internal_broken hreflang_to_error')
    page.alternates = { en: page, it: target, 'x-default': page }
  },
  (site, address) => {
    const target = added(site, 'redirect_internal', address, redirect('{origin}/'))
    const page = link(site, target, 'link_to_redirect hreflang_to_redirect')
    page.alternates = { en: page, it: target, 'x-default': page }
  },
  // Only the sitemap knows the page: an orphan.
  (site, address) => void site.add(address, { isListed: true }),
  // Nobody but one page knows the page.
  (site, address) => link(site, site.add(address, { isListed: true })),
  (site, address) => {
    const page = added(site, 'sitemap_page_missing', address)
    link(site, page)
    link(site, page)
  },
  (site, address) => {
    const [page, from] = [site.add(address, { isListed: true }), site.take()]
    from.links.push({ to: page, nofollow: true })
    site.expect('link_nofollow_internal', from)
  },
  (site, address) => {
    const page = added(site, 'http_4xx sitemap_url_error', address, { ...failed(404), isListed: true })
    link(site, page, 'link_internal_broken')
  },
  (site, address) => {
    const given = { ...redirect('{origin}/'), isListed: true }
    link(site, added(site, 'redirect_internal sitemap_url_redirect', address, given), 'link_to_redirect')
  },
  (site) => {
    const page = site.take()
    hide(page).isListed = true
    site.expect('noindex sitemap_url_noindex', page)
  },
  (site) => {
    const [page, other] = [site.take(), site.take()]
    leave(page, addressOf(other)).isListed = true
    site.expect('canonicalized sitemap_url_noncanonical', page)
  },
  (site) => {
    const page = site.take()
    page.path = page.path.replace('/docs/', '/closed/')
    page.isIndexable = false
    site.expect('robots_blocked sitemap_url_blocked', page)
  },
  (site) => {
    const page = site.take()
    page.head += '<meta property="article:modified_time" content="2026-08-01">'
    page.lastmod = '2026-03-01'
    site.expect('sitemap_lastmod_drift', page)
  },
  (site) => outside(site, '/gone', 'link_external_broken'),
  (site) => outside(site, '/moved', 'link_external_redirect'),
  (site) => outside(site, '/refuses', 'link_external_blocked'),
  (site) => void site.take().links.push({ to: '{other}/' }),
  (site) =>
    show(site, '<a href="{other}/" target="_blank" rel="opener">Elsewhere</a>', 'link_target_blank_unsafe'),
  (site) => show(site, '<img src="/no.webp" width="1" height="1" alt="Gone">', 'image_broken_internal'),
  (site) => show(site, '<img src="{other}/no.webp" width="1" height="1" alt="No">', 'image_broken_external'),
  (site) => show(site, '<img src="/large.webp" width="1" height="1" alt="Large">', 'image_too_large'),
  (site) => show(site, '<img src="/photo.jpg" width="1" height="1" alt="A hat">', 'images_legacy_format'),
  (site) => show(site, '<script src="/no.js"></script>', 'asset_broken'),
  (site) => show(site, '<script src="/large.js"></script>', 'assets_too_large'),
  (site) => show(site, '<script src="/heavy.js"></script>', 'assets_too_large page_weight_large'),
  (site) => show(site, '<script src="/closed/app.js"></script>', 'resource_blocked'),
  (site) => show(site, '<link rel="stylesheet" href="/fresh.css">', 'cache_missing'),
  (site) => {
    const page = site.take()
    page.og!['image'] = '{origin}/small.png'
    site.expect('og_image_small', page)
  },
]

export function plantLinked(site: GeneratedSite) {
  plants.forEach((plant, kind) => {
    for (let time = 0; time < site.times; time++) plant(site, `/docs/chapter-1/more-${kind}-${time}`)
  })
}

/** A new address on which these codes are found. */
function added(site: GeneratedSite, codes: string, path: string, given?: Partial<Page>): Page {
  const page = site.add(path, given)
  site.expect(codes, page)
  return page
}

/** A page links to it, and that is found on the page. */
function link(site: GeneratedSite, to: Page, codes?: string): Page {
  const page = site.take()
  page.links.push({ to })
  if (codes) site.expect(codes, page)
  return page
}

function outside(site: GeneratedSite, path: string, codes: string) {
  const page = site.take()
  page.links.push({ to: `{other}${path}` })
  site.expect(codes, page)
}

function show(site: GeneratedSite, html: string, codes: string) {
  const page = site.take()
  page.after += html
  site.expect(codes, page)
}
