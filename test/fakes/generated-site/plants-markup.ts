import { addressOf } from './page.ts'
import { after, head, hide, leave, path, type Plant, set } from './plant.ts'

/** In two parts, so that no scanner of source code takes it for real. */
const SECRET = ['AKIA', 'IOSFODNN7EXAMPLE'].join('')
const SCHEMA = { '@context': 'https://schema.org' }
const schema = (data: object) => set({ schema: JSON.stringify({ ...SCHEMA, ...data }) })
const robots = (directives: string) => head(`<meta name="robots" content="${directives}">`)
const FUNCTION = 'function a() {\n    // what it does\n    return 1;\n}\n'

/** Faults of directives, addresses, links and markup. */
export const markupPlants: Plant[] = [
  ['noindex', (page) => hide(page)],
  [
    'noindex noindex_header',
    (page) => {
      hide(page, 'all')
      page.head = ''
      page.headers['x-robots-tag'] = 'noindex'
    },
  ],
  [
    'noindex schema_noindex_conflict',
    (page) => (hide(page).schema = JSON.stringify({ ...SCHEMA, '@type': 'Article', headline: 'A' })),
  ],
  ['noindex robots_conflict', (page) => (hide(page).headers['x-robots-tag'] = 'index')],
  [
    'nofollow_page link_nofollow_internal',
    (page) => {
      page.head += '<meta name="robots" content="nofollow">'
      for (const link of page.links) link.nofollow = true
    },
  ],
  ['nosnippet', robots('nosnippet')],
  ['noimageindex', robots('noimageindex')],
  ['unavailable_after_past', robots('unavailable_after: 2020-01-01')],
  ['meta_in_body', after('<meta name="robots" content="all">')],
  [
    'robots_blocked',
    (page) => {
      page.path = page.path.replace('/docs/', '/closed/')
      page.isIndexable = page.isListed = false
    },
  ],
  ['canonical_missing', set({ canonical: null })],
  ['canonical_multiple', head('<link rel="canonical" href="{origin}/docs/other">')],
  [
    'canonical_invalid',
    (page) => {
      page.og!['url'] = addressOf(page)
      page.canonical = 'http://'
    },
  ],
  [
    'canonical_relative',
    (page) => {
      page.og!['url'] = addressOf(page)
      page.canonical = page.path
    },
  ],
  ['canonical_header_conflict', (page) => (page.headers['link'] = '<{origin}/docs/other>; rel="canonical"')],
  ['canonicalized canonical_offsite', (page) => leave(page, '{other}/')],
  ['canonicalized canonical_to_root', (page) => leave(page, '{origin}/')],
  ['canonicalized canonical_unlinked', (page) => leave(page, '{origin}/docs/chapter-1/unlinked')],
  ['charset_missing', set({ charset: null, headers: { 'content-type': 'text/html' } })],
  ['charset_conflict', set({ charset: 'iso-8859-1' })],
  ['doctype_missing', set({ doctype: false })],
  ['viewport_missing', set({ viewport: null })],
  ['viewport_no_width', set({ viewport: 'height=500' })],
  ['viewport_zoom_disabled', (page) => (page.viewport += ', user-scalable=no')],
  ['redirect_meta_refresh', head('<meta http-equiv="refresh" content="5; url=/">')],
  ['duplicate_id', after('<p id="twice">A</p><p id="twice">B</p>')],
  [
    'main_landmark_missing',
    set({ finish: (html) => html.replaceAll('<main>', '<div>').replaceAll('</main>', '</div>') }),
  ],
  ['form_on_http form_label_missing', after('<form><input name="a"></form>')],
  ['button_unnamed', after('<button></button>')],
  ['secrets_exposed', after(`<!-- ${SECRET} -->`)],
  ['link_malformed', after('<a href="htp://example.test/">Typo</a>')],
  ['link_nofollow_internal', (page) => (page.links[1]!.nofollow = true)],
  [
    'links_too_many dom_too_large',
    (page) => page.links.push(...Array.from({ length: 1001 }, () => ({ to: '{origin}/' }))),
  ],
  ['links_none', (page) => (page.links = [])],
  ['link_text_empty', (page) => page.links.push({ to: '{origin}/', text: '<i></i>' })],
  ['link_text_generic', (page) => page.links.push({ to: '{origin}/', text: 'click here' })],
  ['link_not_crawlable', after('<a href="javascript:void(0)">Run</a>')],
  ['link_fragment_broken', (page) => (page.links[1]!.fragment = 'nowhere')],
  ['link_fragment_broken', (page) => page.links.push({ to: page, fragment: 'nowhere' })],
  [
    'image_lazy_above_fold',
    set({
      finish: (html) =>
        html.replace('<img ', '<img loading="lazy" ').replace('"40" height="40"', '"800" height="600"'),
    }),
  ],
  ['dom_too_large', after('<i></i>'.repeat(1600))],
  ['dom_too_deep', after('<div>'.repeat(40) + '</div>'.repeat(40))],
  ['render_blocking', head('<script src="/app.js"></script>'.repeat(4))],
  ['assets_unminified', after(`<script>${FUNCTION.repeat(60)}</script>`)],
  ['schema_missing', set({ schema: null })],
  ['schema_invalid_json', head('<script type="application/ld+json">{oops</script>')],
  ['schema_no_type', schema({ name: 'A' })],
  ['schema_required_missing', schema({ '@type': 'Product', name: 'A' })],
  [
    'schema_deprecated_type',
    schema({ '@type': 'HowTo', name: 'A', step: [{ '@type': 'HowToStep', text: 'B' }] }),
  ],
  [
    'schema_not_linked',
    head(
      `<script type="application/ld+json">${JSON.stringify({ ...SCHEMA, '@type': 'Person', name: 'A' })}</script>`,
    ),
  ],
  ['url_underscore', path((was) => `${was}_x`)],
  ['url_uppercase canonical_form_drift', path((was) => `${was}X`)],
  ['url_space', path((was) => `${was}%20x`)],
  ['url_multiple_slashes', path((was) => was.replace('/page', '//page'))],
  ['url_repetitive_path', path((was) => was.replace('/page', '/same/same/page'))],
  ['url_non_ascii', path((was) => `${was}%C3%A8`)],
  ['url_too_long', path((was) => `${was}-${'long-'.repeat(25)}`)],
  ['url_many_parameters', path((was) => `${was}?a=1&b=2&c=3&d=4&e=5`)],
]

/** Pages of uncommon weight. */
export const heavyPlants: Plant[] = [
  ['content_text_ratio_low', after(`<!--${'-'.repeat(300_000)}-->`)],
  ['html_too_large content_text_ratio_low', after(`<!--${'-'.repeat(2_200_000)}-->`)],
]
