import { fit } from './html.ts'
import type { Definition, Group } from './truth.ts'

export const titles: Group = {
  hub: '/titles/',
  pages: {
    '/titles/missing': { doc: { title: null }, has: ['title_missing'] },
    '/titles/empty': { doc: { title: '  \n ' }, has: ['title_missing'], fields: { title: null } },
    '/titles/29': { doc: { title: fit('Short', 29) }, has: ['title_too_short'] },
    '/titles/30': { doc: { title: fit('Just enough', 30) } },
    '/titles/60': { doc: { title: fit('Sixty', 60) } },
    '/titles/61': { doc: { title: fit('Sixty one', 61) }, has: ['title_too_long'] },
    '/titles/code-points': { doc: { title: '𝒜'.repeat(60) } },
    '/titles/two': {
      doc: { head: '<title>A second title for the very same page</title>' },
      has: ['title_multiple'],
    },
    '/titles/svg': { doc: { body: '<svg><title>A drawing is not a page</title></svg>' } },
    '/titles/as-h1': {
      doc: { title: 'Heading and title say the same thing', h1: 'Heading and  title say the same thing' },
      has: ['title_same_as_h1'],
      fields: { h1: 'Heading and title say the same thing' },
    },
    '/titles/entities': {
      doc: { title: '  Fish &amp; chips &lt;daily&gt; \n  on the &eacute;lite quay  ' },
      fields: { title: 'Fish & chips <daily> on the élite quay' },
    },
    '/titles/same-1': { doc: { title: 'Two pages share this one title' }, has: ['title_duplicate'] },
    '/titles/same-2': { doc: { title: 'Two pages share this one title' }, has: ['title_duplicate'] },
    '/titles/lone': { doc: { title: 'The other page with it is hidden' } },
    '/titles/hidden': {
      doc: { title: 'The other page with it is hidden', head: '<meta name="robots" content="noindex">' },
      has: ['noindex'],
      fields: { is_noindex: true, is_indexable: false },
    },
  },
}

export const descriptions: Group = {
  hub: '/descriptions/',
  pages: {
    '/descriptions/missing': { doc: { description: null }, has: ['meta_desc_missing'] },
    '/descriptions/empty': {
      doc: { description: '' },
      has: ['meta_desc_missing'],
      fields: { meta_description: null },
    },
    '/descriptions/69': { doc: { description: fit('Sixty nine', 69) }, has: ['meta_desc_too_short'] },
    '/descriptions/70': { doc: { description: fit('Seventy', 70) } },
    '/descriptions/160': { doc: { description: fit('At the limit', 160) } },
    '/descriptions/161': { doc: { description: fit('Over the limit', 161) }, has: ['meta_desc_too_long'] },
    '/descriptions/two': {
      doc: { head: `<meta name="Description" content="${fit('A second one', 100)}">` },
      has: ['meta_desc_multiple'],
    },
    '/descriptions/same-1': { doc: { description: fit('Shared', 100) }, has: ['meta_desc_duplicate'] },
    '/descriptions/same-2': { doc: { description: fit('Shared', 100) }, has: ['meta_desc_duplicate'] },
  },
}

export const headings: Group = {
  hub: '/headings/',
  pages: {
    '/headings/no-h1': { doc: { h1: null }, has: ['h1_missing'] },
    '/headings/empty-h1': {
      doc: { h1: ' ' },
      has: ['h1_missing', 'heading_empty'],
      fields: { h1: null },
    },
    '/headings/image-h1': {
      doc: { h1: '<img src="/logo.png" alt="The image speaks" width="9" height="9">' },
      silent: ['h1'],
    },
    '/headings/two-h1': { doc: { body: '<h1>Another main heading</h1>' }, has: ['h1_multiple'] },
    '/headings/70': { doc: { h1: fit('Seventy', 70) } },
    '/headings/71': { doc: { h1: fit('Seventy one', 71) }, has: ['h1_too_long'] },
    '/headings/same-1': { doc: { h1: 'One heading for two pages' }, has: ['h1_duplicate'] },
    '/headings/same-2': { doc: { h1: 'One heading for two pages' }, has: ['h1_duplicate'] },
    '/headings/skipped': { doc: { body: '<h2>Two</h2><h4>Four</h4>' }, has: ['heading_order_skipped'] },
    '/headings/in-order': { doc: { body: '<h2>Two</h2><h3>Three</h3><h2>Two again</h2>' } },
    '/headings/empty-h2': { doc: { body: '<h2> </h2>' }, has: ['heading_empty'] },
    '/headings/nested': {
      doc: { h1: 'Words <em>in</em> <b>inner <i>elements</i></b>' },
      fields: { h1: 'Words in inner elements' },
    },
  },
}

export const content: Group = {
  hub: '/content/',
  pages: {
    '/content/thin': { doc: { filler: 60 }, has: ['content_thin'] },
    '/content/no-lang': { doc: { lang: null }, has: ['lang_missing'] },
    '/content/words': {
      doc: {
        h1: 'Five words of a heading',
        body: '<style>p { color: red }</style><script>let not = "counted"</script><!-- nor this --><p>and four more<br>words</p>',
        filler: 300,
      },
      fields: { words_count: 5 + 4 + 300 + 1 },
    },
    '/content/images': {
      doc: {
        body: `<img src="/a.png"><img src="/b.png" alt=""><img src="/c.png" alt="A lake"><img src="/d.png">
          <!-- <img src="/e.png"> -->`,
      },
      has: ['images_no_alt'],
      fields: { images_no_alt: 2 },
    },
    '/content/images-fine': {
      doc: { body: '<img src="/b.png" alt=""><img src="/c.png" alt="A lake">' },
      fields: { images_no_alt: 0 },
    },
    '/content/json-ld': {
      doc: {
        body: `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"x",
          "author":{"@type":"Person","name":"A"}}</script>`,
      },
    },
    '/content/hreflang-en': { doc: (origin) => ({ head: alternates(origin) }) },
    '/content/hreflang-it': { doc: (origin) => ({ lang: 'it', head: alternates(origin) }) },
  },
}

function alternates(origin: string) {
  return ['en', 'it', 'x-default']
    .map(
      (code) =>
        `<link rel="alternate" hreflang="${code}" href="${origin}/content/hreflang-${code === 'it' ? 'it' : 'en'}">`,
    )
    .join('')
}

const hidden = { is_noindex: true, is_indexable: false }

export const indexing: Group = {
  hub: '/indexing/',
  pages: {
    '/indexing/meta': {
      doc: { head: '<META NAME="Robots" CONTENT="NoIndex, follow">' },
      has: ['noindex'],
      fields: hidden,
    },
    '/indexing/none': {
      doc: { head: '<meta name="robots" content="none">' },
      has: ['noindex', 'nofollow_page'],
      fields: hidden,
    },
    '/indexing/googlebot': {
      doc: { head: '<meta name="googlebot" content="noindex">' },
      has: ['noindex'],
      fields: hidden,
    },
    '/indexing/header': {
      doc: {},
      answer: { headers: { 'x-robots-tag': 'noindex' } },
      has: ['noindex', 'noindex_header'],
      fields: hidden,
    },
    '/indexing/header-other-bot': { doc: {}, answer: { headers: { 'x-robots-tag': 'otherbot: noindex' } } },
    '/indexing/allowed': { doc: { head: '<meta name="robots" content="index, follow, max-snippet:-1">' } },
    '/indexing/self-header': {
      doc: { canonical: null },
      answer: (origin) => ({ headers: { link: `<${origin}/indexing/self-header>; rel="canonical"` } }),
      silent: ['canonical'],
    },
    '/indexing/elsewhere': canonicalTo('/about'),
    '/indexing/elsewhere-header': {
      doc: { canonical: null },
      answer: (origin) => ({
        headers: { link: `</style.css>; rel=preload, <${origin}/about>; rel="canonical"` },
      }),
      has: ['canonicalized'],
      silent: ['canonical', 'is_indexable'],
    },
    '/indexing/no-canonical': { doc: { canonical: null }, has: ['canonical_missing'] },
    '/indexing/relative': {
      doc: { canonical: null, head: '<link rel="canonical" href="relative">' },
      has: ['canonical_relative'],
      silent: ['canonical'],
    },
    '/indexing/two-canonicals': {
      doc: (origin) => ({ head: `<link rel="canonical" href="${origin}/about">` }),
      has: ['canonical_multiple'],
      unsure: ['canonicalized'],
      silent: ['canonical', 'is_indexable'],
    },
    '/indexing/to-error': canonicalTo('/errors/404', 'canonical_to_error'),
    '/indexing/to-redirect': canonicalTo('/redirects/301', 'canonical_to_redirect'),
    '/indexing/to-noindex': canonicalTo('/indexing/meta', 'canonical_to_noindex'),
  },
}
function canonicalTo(target: string, ...has: NonNullable<Definition['has']>): Definition {
  return {
    doc: (origin) => ({ canonical: origin + target }),
    has: ['canonicalized', ...has],
    silent: ['is_indexable'],
  }
}
