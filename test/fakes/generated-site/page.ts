import { randomOf } from '../site/html.ts'

/** What a generated page links to: another page, or an address. `{origin}` is the site, `{other}` another host. */
export type Link = { to: Page | string; nofollow?: boolean; fragment?: string; text?: string }

/** A page as it will be rendered; what is null is left out. */
export type Page = {
  path: string
  status: number
  headers: Record<string, string>
  /** The bytes themselves, for what is no HTML. */
  body: string | null
  lang: string | null
  doctype: boolean
  charset: string | null
  viewport: string | null
  title: string | null
  description: string | null
  /** An address; `self` is the page's own. */
  canonical: string | null
  og: Record<string, string> | null
  schema: string | null
  /** More for the head, and for the main part before and after the text. */
  head: string
  before: string
  after: string
  h1: string | null
  /** The first words; when null they are title and description, so that these are what the page is about. */
  intro: string | null
  text: string
  links: Link[]
  alternates: Record<string, Page>
  /** Whether search engines may show it; what inlinks mean depends on it. */
  isIndexable: boolean
  /** Whether the sitemap lists it, and what it says. */
  isListed: boolean
  lastmod: string
  listedAlternates: Record<string, Page>
  /** The last touch to the finished HTML. */
  finish: (html: string) => string
}

const DAY = 86_400_000
export const BRAND = 'Handbook'

const starts = [...'bdfgklmnprstvz']
const vowels = [...'aeiou']
const ends = [...'bdgklmnprst']
const vocabulary = starts.flatMap((start) =>
  vowels.flatMap((vowel) => ends.map((end) => start + vowel + end)),
)

/** So many words of one syllable, the same for the same seed. */
export function words(count: number, seed: number): string[] {
  const random = randomOf(seed)
  return Array.from({ length: count }, () => vocabulary[Math.floor(random() * vocabulary.length)]!)
}

/** Sections of short sentences, about so many bytes. */
export function prose(bytes: number, seed: number): string {
  const all = words(Math.ceil(bytes / 4.6), seed)
  let text = ''
  for (let at = 0, n = 0; at < all.length; at += 10, n++) {
    if (n % 40 === 0) text += `${n ? '</p>\n' : ''}<h2>${capital(all.slice(at, at + 3).join(' '))}</h2>\n<p>`
    else if (n % 8 === 0) text += '</p>\n<p>'
    text += `${capital(all.slice(at, at + 10).join(' '))}. `
  }
  return `${text}</p>`
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** A page without a fault. */
export function healthy(path: string, seed: number, bytes: number): Page {
  const title = `${capital(words(6, seed * 3 + 1).join(' '))} ${seed} | ${BRAND}`
  const description = `${capital(words(24, seed * 3 + 2).join(' '))} ${seed}.`
  return {
    path,
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: null,
    lang: 'en',
    doctype: true,
    charset: 'utf-8',
    viewport: 'width=device-width, initial-scale=1',
    title,
    description,
    canonical: 'self',
    og: { type: 'website', image: '{origin}/preview.png' },
    schema: JSON.stringify({
      '@context': 'https://schema.org',
      '@type': 'BreadcrumbList',
      itemListElement: [{ '@type': 'ListItem', position: 1, name: BRAND, item: '{origin}/' }],
    }),
    head: '',
    before: '',
    after: '',
    h1: capital(`${words(5, seed * 3 + 3).join(' ')} ${seed}`),
    intro: null,
    text: prose(bytes, seed),
    links: [],
    alternates: {},
    isIndexable: true,
    isListed: true,
    lastmod: new Date(Date.now() - (10 + (seed % 300)) * DAY).toISOString(),
    listedAlternates: {},
    finish: (html) => html,
  }
}

const tag = (present: string | null, html: (value: string) => string) =>
  present === null ? '' : html(present)
export const addressOf = (page: Page | string) => (typeof page === 'string' ? page : `{origin}${page.path}`)
const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

export const introOf = ({ intro, title, description }: Page) => intro ?? `${title} ${description}`

/** The page as a server sends it; addresses of the site begin with `{origin}`. */
export function render(page: Page): string {
  const canonical = page.canonical === 'self' ? addressOf(page) : page.canonical
  const og = page.og && {
    title: page.title ?? BRAND,
    description: page.description ?? BRAND,
    url: canonical ?? addressOf(page),
    ...page.og,
  }
  const head = [
    tag(page.charset, (charset) => `<meta charset="${charset}">`),
    tag(page.viewport, (viewport) => `<meta name="viewport" content="${viewport}">`),
    tag(page.title, (title) => `<title>${title}</title>`),
    tag(page.description, (description) => `<meta name="description" content="${description}">`),
    tag(canonical, (href) => `<link rel="canonical" href="${escape(href)}">`),
    ...Object.entries(og ?? {}).map(
      ([name, value]) => `<meta property="og:${name}" content="${escape(value)}">`,
    ),
    ...Object.entries(page.alternates).map(
      ([lang, to]) => `<link rel="alternate" hreflang="${lang}" href="${addressOf(to)}">`,
    ),
    '<link rel="icon" href="/favicon.ico"><link rel="stylesheet" href="/style.css">',
    tag(page.schema, (schema) => `<script type="application/ld+json">${schema}</script>`),
    page.head,
  ]
  const links = page.links.map(({ to, nofollow, fragment, text }, n) => {
    const href = escape(addressOf(to) + (fragment === undefined ? '' : `#${fragment}`))
    const name = text ?? (typeof to === 'string' ? `Place ${n}` : `Part ${to.path.replace(/\D+/g, ' ')}`)
    return `<li><a href="${href}"${nofollow ? ' rel="nofollow"' : ''}>${name}</a></li>`
  })
  return page.finish(`${page.doctype ? '<!doctype html>\n' : ''}<html${tag(page.lang, (lang) => ` lang="${lang}"`)}>
<head>
${head.filter(Boolean).join('\n')}
</head>
<body>
<nav><ul>
${links.join('\n')}
</ul></nav>
<main>
${tag(page.h1, (h1) => `<h1>${h1}</h1>`)}
<p><img src="/figure.webp" width="40" height="40" alt="A figure"> ${introOf(page)}</p>
${page.before}
${page.text}
${page.after}
</main>
<footer><p>${BRAND}, set by hand.</p></footer>
</body>
</html>`)
}
