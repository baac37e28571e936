import { addressOf, introOf, type Page, words } from './page.ts'
import { hide, leave } from './plant.ts'
import type { GeneratedSite } from './site.ts'

type Plant = (site: GeneratedSite, n: number) => void

/** Pages that lead to each other as language versions. */
function versions(pages: Record<string, Page>) {
  const set = { ...pages, 'x-default': Object.values(pages)[0]! }
  for (const [lang, page] of Object.entries(pages)) Object.assign(page, { lang, alternates: set })
}

/** Pages of the same text, but for what `change` makes of it. */
function twins(a: Page, b: Page, change: (text: string) => string = (text) => text) {
  a.intro = b.intro = `${introOf(a)} ${introOf(b)}`
  b.text = change(a.text)
}

/** Faults that only show when pages are held against each other; all of them answer with success. */
const plants: Plant[] = [
  (site) => {
    const [a, b] = [site.take(), site.take()]
    b.title = a.title
    site.expect('title_duplicate', a, b)
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    b.description = a.description
    site.expect('meta_desc_duplicate', a, b)
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    b.h1 = a.h1
    site.expect('h1_duplicate', a, b)
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    twins(a, b)
    b.h1 = a.h1
    site.expect('content_duplicate h1_duplicate', a, b)
  },
  (site, n) => {
    const [a, b] = [site.take(), site.take()]
    twins(a, b, (text) => text.replace('. ', `. ${words(4, n + 3).join(' ')}. `))
    site.expect('content_near_duplicate', a, b)
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    a.path = `${b.path}/`
    site.expect('url_trailing_slash_mixed', a, b)
    site.expect('canonical_form_drift', a)
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    leave(a, addressOf(b))
    site.expect('canonicalized', a)
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    leave(a, addressOf(b))
    hide(b)
    site.expect('canonicalized canonical_to_noindex', a)
    site.expect('noindex', b)
  },
  (site) => {
    const [a, b, c] = [site.take(), site.take(), site.take()]
    leave(a, addressOf(b))
    leave(b, addressOf(c))
    site.expect('canonicalized', a, b)
    site.expect('canonical_chain', a)
  },
  (site, n) => {
    const ring = Array.from({ length: 2 + (n % 3) }, () => site.take())
    ring.forEach((page, at) => leave(page, addressOf(ring[(at + 1) % ring.length]!)))
    site.expect('canonicalized canonical_chain canonical_loop', ...ring)
  },
  // Language versions as they should be.
  (site) => versions({ en: site.take(), it: site.take(), de: site.take() }),
  (site) => {
    const [a, b] = [site.take(), site.take()]
    versions({ en: a, it: b })
    b.alternates = {}
    site.expect('hreflang_return_missing', a)
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    a.listedAlternates = { en: a, it: b }
    b.listedAlternates = { it: b }
    site.expect('hreflang_return_missing', a)
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    a.headers['link'] =
      `<${addressOf(a)}>; rel="alternate"; hreflang="en", <${addressOf(b)}>; rel="alternate"; hreflang="x-default"`
    b.listedAlternates = { en: a, 'x-default': b }
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    versions({ en: a, it: b })
    hide(b)
    site.expect('hreflang_to_noindex', a)
    site.expect('noindex', b)
  },
  (site) => {
    const [a, b, c] = [site.take(), site.take(), site.take()]
    versions({ en: a, it: b })
    leave(b, addressOf(c))
    site.expect('hreflang_to_noncanonical', a)
    site.expect('canonicalized', b)
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    versions({ en: a, it: b })
    leave(b, addressOf(a))
    site.expect('hreflang_to_noncanonical', a)
    site.expect('hreflang_canonical_conflict canonicalized', b)
  },
  (site) => {
    const a = site.take()
    a.alternates = { en: a, it: a, 'x-default': a }
    site.expect('hreflang_multiple_lang', a)
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    versions({ en: a, it: b })
    const { en: _, ...others } = a.alternates
    a.alternates = { ...others, 'x-default': b }
    site.expect('hreflang_self_missing', a)
  },
  (site) => {
    const a = site.take()
    a.alternates = { en: a }
    site.expect('hreflang_x_default_missing', a)
  },
  (site) => {
    const a = site.take()
    a.alternates = { en: a, 'en-UK': a, 'x-default': a }
    site.expect('hreflang_invalid_code', a)
  },
  (site) => {
    const a = site.take()
    a.alternates = { 'x-default': a }
    a.head += `<link rel="alternate" hreflang="en" href="${a.path}">`
    site.expect('hreflang_relative_url', a)
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    versions({ en: a, it: b })
    a.head += '<link rel="alternate" hreflang="it" href="{other}/">'
    site.expect('hreflang_duplicate_code', a)
  },
  (site) => {
    const a = site.take()
    a.after += `<link rel="alternate" hreflang="en" href="${addressOf(a)}">`
    site.expect('hreflang_outside_head meta_in_body', a)
  },
  (site) => {
    const a = site.take()
    a.alternates = { de: a, 'x-default': a }
    site.expect('hreflang_lang_mismatch', a)
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    b.path = `${a.path}?page=2`
    leave(b, addressOf(a))
    site.expect('pagination_canonical_first canonicalized', b)
  },
  (site) => {
    const [a, b] = [site.take(), site.take()]
    a.links = a.links.filter(({ to }) => to !== b)
    a.head += `<link rel="next" href="${addressOf(b)}">`
    site.expect('pagination_unlinked', a)
  },
]

export function plantRelations(site: GeneratedSite) {
  for (const plant of plants)
    for (let time = 0; time < site.times; time++) plant(site, site.seed * 1000 + time)
}
