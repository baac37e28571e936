import { addressOf, BRAND, type Page, prose, words } from './page.ts'
import type { GeneratedSite } from './site.ts'

type Plant = {
  /** The codes an audit finds on the page. */
  codes: string
  plant: (page: Page, n: number) => void
}

const much = (count: number) => words(count, 99).join(' ')
const AWS_KEY = ['AKIA', 'IOSFODNN7EXAMPLE'].join('')
const hard =
  'Interdepartmental organizational considerations notwithstanding, institutional representatives unanimously characterized comprehensive administrative reconfiguration as fundamentally indispensable'
const ld = (data: object) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`
const schema = 'https://schema.org'

/** One fault of one page that answers with success, each. */
const plants: Plant[] = [
  { codes: 'title_missing', plant: (page) => (page.title = null) },
  {
    codes: 'title_too_short',
    plant: (page, n) => (page.title = `${words(2, n + 5).join(' ')} ${n} | ${BRAND}`),
  },
  {
    codes: 'title_too_long',
    plant: (page, n) => (page.title = `${words(14, n + 6).join(' ')} ${n} | ${BRAND}`),
  },
  { codes: 'title_multiple', plant: (page) => (page.head += `<title>${page.title}</title>`) },
  { codes: 'title_same_as_h1', plant: (page) => (page.h1 = page.title) },
  {
    codes: 'title_irrelevant',
    plant: (page, n) =>
      (page.intro = page.description!) &&
      (page.title = `Quixotic zephyrs vex ${n} yonder jumbling | ${BRAND}`),
  },
  {
    codes: 'title_pattern_outlier',
    plant: (page, n) => (page.title = `${words(8, n + 7).join(' ')} ${n} alone`),
  },
  { codes: 'meta_desc_missing', plant: (page) => (page.description = null) },
  {
    codes: 'meta_desc_too_short',
    plant: (page, n) => (page.description = `${words(9, n + 8).join(' ')} ${n}.`),
  },
  {
    codes: 'meta_desc_too_long',
    plant: (page, n) => (page.description = `${words(42, n + 9).join(' ')} ${n}.`),
  },
  {
    codes: 'meta_desc_multiple',
    plant: (page) => (page.head += `<meta name="description" content="${page.description}">`),
  },
  {
    codes: 'meta_desc_irrelevant',
    plant: (page, n) =>
      (page.intro = page.title!) &&
      (page.description = `Quixotic zephyrs ${n} vex yonder jumbling onyx wyverns beyond exotic jagged quartz crypts, unlike whichever`),
  },
  { codes: 'h1_missing', plant: (page) => (page.h1 = null) },
  { codes: 'h1_multiple', plant: (page) => (page.after += '<h1>Another one</h1>') },
  { codes: 'h1_too_long', plant: (page, n) => (page.h1 = `${words(20, n + 10).join(' ')} ${n}`) },
  { codes: 'h2_missing', plant: (page) => (page.text = page.text.replaceAll(/<h2>.*?<\/h2>/g, '')) },
  { codes: 'heading_order_skipped', plant: (page) => (page.after += '<h4>Deep</h4>') },
  { codes: 'heading_empty', plant: (page) => (page.after += '<h2></h2>') },
  { codes: 'content_thin content_thin_vs_norm', plant: (page, n) => (page.text = prose(300, n + 11)) },
  { codes: 'content_thin_vs_norm', plant: (page, n) => (page.text = prose(1000, n + 12)) },
  { codes: 'content_text_ratio_low', plant: (page) => (page.after += `<!--${'-'.repeat(300_000)}-->`) },
  { codes: 'content_lorem_ipsum', plant: (page) => (page.after += '<p>Lorem ipsum dolor sit amet.</p>') },
  { codes: 'content_encoding_damage', plant: (page) => (page.after += '<p>The cafÃ© is open.</p>') },
  {
    codes: 'content_plugin',
    plant: (page) => (page.after += '<object type="application/x-shockwave-flash"></object>'),
  },
  { codes: 'content_frames', plant: (page) => (page.after += '<frameset></frameset>') },
  { codes: 'content_deprecated_html', plant: (page) => (page.after += '<font>Old</font>') },
  {
    codes: 'content_keyword_stuffing',
    plant: (page) => (page.after += `<p>${'Shoes are here. '.repeat(400)}</p>`),
  },
  {
    codes: 'content_readability_low',
    plant: (page) =>
      (page.text = `<h2>Deep</h2><p>${`${hard} ${much(3)}. `.repeat(1)}</p>${Array.from({ length: 60 }, (_, n) => `<p>${n} ${hard} ${words(3, n).join(' ')}.</p>`).join('')}`),
  },
  {
    codes: 'content_hidden_text',
    plant: (page) => (page.after += `<div style="display:none">${much(60)}</div>`),
  },
  {
    codes: 'content_stale',
    plant: (page) => {
      page.og!['type'] = 'article'
      page.head += '<meta property="article:published_time" content="2015-03-01">'
    },
  },
  {
    codes: 'content_date_conflict',
    plant: (page) =>
      (page.head +=
        '<meta property="article:published_time" content="2026-03-10"><meta property="article:modified_time" content="2026-02-01">') &&
      (page.lastmod = '2026-02-01'),
  },
  { codes: 'noindex', plant: (page) => hide(page, '<meta name="robots" content="noindex">') },
  {
    codes: 'noindex noindex_header',
    plant: (page) => {
      hide(page, '')
      page.headers['x-robots-tag'] = 'noindex'
    },
  },
  {
    codes: 'noindex schema_noindex_conflict',
    plant: (page) => {
      const was = page.schema
      hide(page, '<meta name="robots" content="noindex">')
      page.schema = was
    },
  },
  {
    codes: 'nofollow_page link_nofollow_internal',
    plant: (page) => {
      page.head += '<meta name="robots" content="nofollow">'
      page.links = page.links.map((link) => ({ ...link, nofollow: true }))
    },
  },
  { codes: 'nosnippet', plant: (page) => (page.head += '<meta name="robots" content="nosnippet">') },
  { codes: 'noimageindex', plant: (page) => (page.head += '<meta name="robots" content="noimageindex">') },
  {
    codes: 'unavailable_after_past',
    plant: (page) => (page.head += '<meta name="robots" content="unavailable_after: 2020-01-01">'),
  },
  { codes: 'meta_in_body', plant: (page) => (page.after += '<meta name="robots" content="all">') },
  {
    codes: 'robots_conflict',
    plant: (page) =>
      (page.head += '<meta name="robots" content="none">') &&
      hide(page, '') &&
      (page.headers['x-robots-tag'] = 'all'),
  },
  {
    codes: 'robots_blocked',
    plant: (page) => {
      page.path = page.path.replace('/docs/', '/closed/')
      page.isIndexable = page.isListed = false
    },
  },
  { codes: 'canonical_missing', plant: (page) => (page.canonical = null) },
  {
    codes: 'canonical_multiple',
    plant: (page) => (page.head += '<link rel="canonical" href="{origin}/docs/other">'),
  },
  { codes: 'canonical_invalid', plant: (page) => (page.head += '<link rel="canonical" href="http://">') },
  {
    codes: 'canonical_relative',
    plant: (page) => (page.canonical = page.path) && (page.og!['url'] = addressOf(page)),
  },
  {
    codes: 'canonical_header_conflict',
    plant: (page) => (page.headers['link'] = '<{origin}/docs/other>; rel="canonical"'),
  },
  { codes: 'canonicalized canonical_offsite', plant: (page) => leave(page, '{other}/') },
  { codes: 'canonicalized canonical_to_root', plant: (page) => leave(page, '{origin}/') },
  {
    codes: 'canonicalized canonical_unlinked',
    plant: (page) => leave(page, '{origin}/docs/chapter-1/unlinked'),
  },
  { codes: 'lang_missing', plant: (page) => (page.lang = null) },
  { codes: 'lang_invalid', plant: (page) => (page.lang = 'english-language') },
  {
    codes: 'charset_missing',
    plant: (page) => Object.assign(page, { charset: null, headers: { 'content-type': 'text/html' } }),
  },
  { codes: 'charset_conflict', plant: (page) => (page.charset = 'iso-8859-1') },
  { codes: 'doctype_missing', plant: (page) => (page.doctype = false) },
  { codes: 'viewport_missing', plant: (page) => (page.viewport = null) },
  { codes: 'viewport_no_width', plant: (page) => (page.viewport = 'height=500') },
  { codes: 'viewport_zoom_disabled', plant: (page) => (page.viewport += ', user-scalable=no') },
  { codes: 'duplicate_id', plant: (page) => (page.after += '<p id="twice">A</p><p id="twice">B</p>') },
  {
    codes: 'main_landmark_missing',
    plant: (page) => (page.finish = (html) => html.replaceAll(/<(\/?)main>/g, '<$1div>')),
  },
  {
    codes: 'form_on_http form_label_missing',
    plant: (page) => (page.after += '<form><input name="a"></form>'),
  },
  { codes: 'button_unnamed', plant: (page) => (page.after += '<button></button>') },
  { codes: 'secrets_exposed', plant: (page) => (page.after += `<!-- ${AWS_KEY} -->`) },
  { codes: 'cookie_insecure', plant: (page) => (page.headers['set-cookie'] = 'a=b') },
  { codes: 'link_malformed', plant: (page) => (page.after += '<a href="htp://example.test/">Typo</a>') },
  { codes: 'link_nofollow_internal', plant: (page) => (page.links[1]!.nofollow = true) },
  {
    codes: 'links_too_many',
    plant: (page) => page.links.push(...Array.from({ length: 1001 }, () => ({ to: '{origin}/' }))),
  },
  { codes: 'links_none', plant: (page) => (page.links = []) },
  { codes: 'link_text_empty', plant: (page) => page.links.push({ to: '{origin}/', text: '<i></i>' }) },
  { codes: 'link_text_generic', plant: (page) => page.links.push({ to: '{origin}/', text: 'click here' }) },
  { codes: 'link_not_crawlable', plant: (page) => (page.after += '<a href="javascript:void(0)">Run</a>') },
  { codes: 'link_fragment_broken', plant: (page) => (page.links[1]!.fragment = 'nowhere') },
  { codes: 'link_fragment_broken', plant: (page) => page.links.push({ to: page, fragment: 'nowhere' }) },
  {
    codes: 'images_no_alt',
    plant: (page) => (page.after += '<img src="/figure.webp" width="1" height="1">'),
  },
  {
    codes: 'images_alt_too_long',
    plant: (page) => (page.after += `<img src="/figure.webp" width="1" height="1" alt="${much(40)}">`),
  },
  {
    codes: 'images_alt_generic',
    plant: (page) => (page.after += '<img src="/figure.webp" width="1" height="1" alt="IMG_0042.jpg">'),
  },
  { codes: 'images_no_dimensions', plant: (page) => (page.after += '<img src="/figure.webp" alt="Wide">') },
  {
    codes: 'image_lazy_above_fold',
    plant: (page) => (page.finish = (html) => html.replace('<img ', '<img loading="lazy" ')),
  },
  { codes: 'picture_no_img', plant: (page) => (page.after += '<picture></picture>') },
  {
    codes: 'html_too_large content_text_ratio_low',
    plant: (page) => (page.after += `<!--${'-'.repeat(2_200_000)}-->`),
  },
  { codes: 'dom_too_large', plant: (page) => (page.after += '<i></i>'.repeat(1600)) },
  { codes: 'dom_too_deep', plant: (page) => (page.after += '<div>'.repeat(40) + '</div>'.repeat(40)) },
  { codes: 'render_blocking', plant: (page) => (page.head += '<script src="/app.js"></script>'.repeat(4)) },
  {
    codes: 'assets_unminified',
    plant: (page) =>
      (page.after += `<script>${'function a() {\n    // what it does\n    return 1;\n}\n'.repeat(60)}</script>`),
  },
  { codes: 'schema_missing', plant: (page) => (page.schema = null) },
  {
    codes: 'schema_invalid_json',
    plant: (page) => (page.head += '<script type="application/ld+json">{oops</script>'),
  },
  {
    codes: 'schema_no_type',
    plant: (page) => (page.schema = JSON.stringify({ '@context': schema, '@id': '{origin}/', name: 'A' })),
  },
  {
    codes: 'schema_required_missing',
    plant: (page) => (page.schema = JSON.stringify({ '@context': schema, '@type': 'Product', name: 'A' })),
  },
  {
    codes: 'schema_deprecated_type',
    plant: (page) =>
      (page.schema = JSON.stringify({
        '@context': schema,
        '@type': 'HowTo',
        name: 'A',
        step: [{ '@type': 'HowToStep', text: 'B' }],
      })),
  },
  {
    codes: 'schema_not_linked',
    plant: (page) => (page.head += ld({ '@context': schema, '@type': 'Person', name: 'A' })),
  },
  { codes: 'og_missing twitter_card_missing', plant: (page) => (page.og = null) },
  { codes: 'og_incomplete', plant: (page) => (page.og!['image'] = '') },
  { codes: 'og_url_mismatch', plant: (page) => (page.og!['url'] = '{origin}/docs/other') },
  {
    codes: 'twitter_card_invalid',
    plant: (page) => (page.head += '<meta name="twitter:card" content="poster">'),
  },
  { codes: 'url_underscore', plant: (page) => (page.path += '_x') },
  { codes: 'url_uppercase canonical_form_drift', plant: (page) => (page.path += 'X') },
  { codes: 'url_space', plant: (page) => (page.path += '%20x') },
  { codes: 'url_multiple_slashes', plant: (page) => (page.path = page.path.replace('/page', '//page')) },
  {
    codes: 'url_repetitive_path',
    plant: (page) => (page.path = page.path.replace('/page', '/same/same/page')),
  },
  { codes: 'url_non_ascii', plant: (page) => (page.path += '%C3%A8') },
  { codes: 'url_too_long', plant: (page) => (page.path += `-${'long-'.repeat(25)}`) },
  { codes: 'url_many_parameters', plant: (page) => (page.path += '?a=1&b=2&c=3&d=4&e=5') },
]

/** Plants every fault of single pages. */
export function plantPages(site: GeneratedSite) {
  for (const { codes, plant } of plants) {
    for (let time = 0; time < site.times; time++) {
      const page = site.take()
      plant(page, site.seed * 1000 + time)
      site.expect(codes, page)
    }
  }
}

/** Takes a page out of search engines, and out of the sitemap. */
function hide(page: Page, head: string): Page {
  page.head += head
  page.schema = null
  page.isIndexable = page.isListed = false
  return page
}

/** Names another page as canonical. */
export function leave(page: Page, canonical: string): Page {
  page.canonical = canonical
  page.isIndexable = page.isListed = false
  return page
}
