import { BRAND, prose, words } from './page.ts'
import { after, head, type Plant, set } from './plant.ts'

const text = (count: number, seed: number) => words(count, seed).join(' ')
/** Words of four syllables. */
const hard = (count: number, seed: number) =>
  words(count * 4, seed)
    .join(' ')
    .replaceAll(/(\w+) (\w+) (\w+) (\w+)/g, '$1$2$3$4')
const UNHEARD = 'quixotic zephyrs vex yonder jumbling onyx wyverns beyond exotic jagged quartz crypts'

/** Faults of titles, descriptions, headings and texts. */
export const textPlants: Plant[] = [
  ['title_missing', set({ title: null })],
  ['title_too_short', (page, n) => (page.title = `${text(2, n + 5)} ${n} | ${BRAND}`)],
  ['title_too_long', (page, n) => (page.title = `${text(14, n + 6)} ${n} | ${BRAND}`)],
  ['title_multiple', (page) => (page.head += `<title>${page.title}</title>`)],
  ['title_same_as_h1', (page) => (page.h1 = page.title)],
  [
    'title_irrelevant',
    (page, n) => {
      page.intro = page.description
      page.title = `${UNHEARD.slice(0, 35)} ${n} | ${BRAND}`
    },
  ],
  ['title_pattern_outlier', (page, n) => (page.title = `${text(8, n + 7)} ${n} alone`)],
  ['meta_desc_missing', set({ description: null })],
  ['meta_desc_too_short', (page, n) => (page.description = `${text(9, n + 8)} ${n}.`)],
  ['meta_desc_too_long', (page, n) => (page.description = `${text(42, n + 9)} ${n}.`)],
  ['meta_desc_multiple', (page) => (page.head += `<meta name="description" content="${page.description}">`)],
  [
    'meta_desc_irrelevant',
    (page, n) => {
      page.intro = page.title
      page.description = `${n} ${UNHEARD}, unlike whichever.`
    },
  ],
  ['h1_missing', set({ h1: null })],
  ['h1_multiple', after('<h1>Another one</h1>')],
  ['h1_too_long', (page, n) => (page.h1 = `${text(20, n + 10)} ${n}`)],
  ['h2_missing', (page) => (page.text = page.text.replaceAll(/<h2>.*?<\/h2>/g, ''))],
  ['heading_order_skipped', after('<h4>Deep</h4>')],
  ['heading_empty', after('<h2></h2>')],
  ['content_thin content_thin_vs_norm', (page, n) => (page.text = prose(300, n + 11))],
  ['content_thin_vs_norm', (page, n) => (page.text = prose(1000, n + 12))],
  ['content_lorem_ipsum', after('<p>Lorem ipsum dolor sit amet.</p>')],
  ['content_encoding_damage', after('<p>The cafÃ© is open.</p>')],
  ['content_plugin', after('<object type="application/x-shockwave-flash"></object>')],
  ['content_frames', after('<frameset></frameset>')],
  ['content_deprecated_html', after('<font>Old</font>')],
  ['content_keyword_stuffing', after(`<p>${'Shoes are here. '.repeat(400)}</p>`)],
  [
    'content_readability_low',
    (page, n) =>
      (page.text = `<h2>Deep</h2>${Array.from({ length: 60 }, (_, i) => `<p>${hard(30, n * 60 + i)}.</p>`).join('')}`),
  ],
  ['content_hidden_text', after(`<div style="display:none">${text(60, 99)}</div>`)],
  [
    'content_stale',
    (page) => {
      page.og!['type'] = 'article'
      page.head += '<meta property="article:published_time" content="2015-03-01">'
    },
  ],
  [
    'content_date_conflict',
    (page) => {
      page.head +=
        '<meta property="article:published_time" content="2026-03-10"><meta property="article:modified_time" content="2026-02-01">'
      page.lastmod = '2026-02-01'
    },
  ],
  ['lang_missing', set({ lang: null })],
  ['lang_invalid', set({ lang: 'english-language' })],
  ['images_no_alt', after('<img src="/figure.webp" width="1" height="1">')],
  ['images_alt_too_long', after(`<img src="/figure.webp" width="1" height="1" alt="${text(40, 98)}">`)],
  ['images_alt_generic', after('<img src="/figure.webp" width="1" height="1" alt="IMG_0042.jpg">')],
  ['images_no_dimensions', after('<img src="/figure.webp" alt="Wide">')],
  ['picture_no_img', after('<picture></picture>')],
  ['og_missing twitter_card_missing', set({ og: null })],
  ['og_incomplete', (page) => (page.og!['image'] = '')],
  ['og_url_mismatch', (page) => (page.og!['url'] = '{origin}/docs/other')],
  ['twitter_card_invalid', head('<meta name="twitter:card" content="poster">')],
]
