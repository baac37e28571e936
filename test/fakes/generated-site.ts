import { fit, randomOf, words } from './site/html.ts'
import { type FakeServer, startServer } from './site/server.ts'

export type Size = {
  pages?: number
  /** Internal links on each page, beside those of the navigation. */
  links?: number
  /** Of one page, about. */
  kilobytes?: number
  seed?: number
}

export type Generated = FakeServer & {
  /** Every path of the site. */
  paths: string[]
  /** Pages that have each planted fault. */
  expected: Record<Fault, number>
}

/** One page in so many has each fault; a page has one fault at most. */
const PERIOD = 20
const faults = {
  title_missing: 1,
  meta_desc_missing: 3,
  h1_missing: 5,
  h1_multiple: 7,
  images_no_alt: 9,
  noindex: 11,
  lang_missing: 13,
  title_too_long: 15,
} as const
type Fault = keyof typeof faults

/** Children of a page in the tree that makes every page reachable. */
const CHILDREN = 6
const BYTES_OF_PARAGRAPH = 420

/** A site of any size, the same for the same numbers, with faults in known number. */
export async function startGenerated(size: Size = {}): Promise<Generated> {
  const { pages, expected } = generate(size)
  const server = await startServer((path) => {
    const body = pages.get(path)
    return body && { body }
  })
  return { ...server, paths: [...pages.keys()], expected }
}

/** The pages by path, and the number of pages with each fault. */
export function generate({ pages: count = 2000, links = 20, kilobytes = 14, seed = 1 }: Size = {}) {
  const pages = new Map<string, Buffer>()
  const expected = Object.fromEntries(Object.keys(faults).map((fault) => [fault, 0])) as Record<Fault, number>
  for (let index = 0; index < count; index++) {
    const fault = faultOf(index)
    if (fault) expected[fault] += 1
    pages.set(pathOf(index), Buffer.from(page(index, { count, links, bytes: kilobytes * 1000, seed }, fault)))
  }
  return { pages, expected }
}

function faultOf(index: number): Fault | undefined {
  return (Object.keys(faults) as Fault[]).find((fault) => faults[fault] === index % PERIOD)
}

const pathOf = (index: number) => (index === 0 ? '/' : `/docs/chapter-${index % 40}/page-${index}.html`)

function page(
  index: number,
  site: { count: number; links: number; bytes: number; seed: number },
  fault?: Fault,
) {
  const random = randomOf(site.seed * 1_000_003 + index)
  const lengthOf = fault === 'title_too_long' ? 75 : 45
  const head = [
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    fault === 'title_missing' ? '' : `<title>${fit(`Page ${index} of the manual`, lengthOf)}</title>`,
    fault === 'meta_desc_missing'
      ? ''
      : `<meta name="description" content="${fit(`Page ${index} of the manual explains`, 120)}">`,
    fault === 'noindex' ? '<meta name="robots" content="noindex">' : '',
    '<link rel="stylesheet" href="/style.css"><meta property="og:type" content="article">',
  ].join('\n')
  const main = [
    fault === 'h1_missing' ? '' : `<h1>Chapter and verse of page ${index}</h1>`,
    fault === 'h1_multiple' ? `<h1>And another of page ${index}</h1>` : '',
    `<p><img src="/figure-${index % 9}.png" width="40" height="40"${fault === 'images_no_alt' ? '' : ' alt="A figure"'}></p>`,
    listOf(linksOf(index, site, random)),
  ]
  let length = head.length + main.join('').length
  for (let paragraph = 0; length < site.bytes - 1200; paragraph++) {
    const text = prose(random, `${site.seed}.${index}.${paragraph}`)
    const block = paragraph % 5 === 0 ? `<h2>Section ${paragraph / 5 + 1}</h2>\n${text}` : text
    main.push(block)
    length += block.length
  }
  return `<!doctype html>
<html${fault === 'lang_missing' ? '' : ' lang="en"'}>
<head>
${head}
</head>
<body>
<nav><a href="/">Start</a> <a href="${pathOf(Math.max(0, index - 1))}">Back</a> <a href="${pathOf(Math.min(site.count - 1, index + 1))}">On</a></nav>
<main>
${main.join('\n')}
</main>
<footer><p>Set by hand. <a href="https://example.test/licence">Licence</a></p></footer>
</body>
</html>`
}

/** The page's children in the tree, then others at random. */
function linksOf(index: number, { count, links }: { count: number; links: number }, random: () => number) {
  const children = Array.from({ length: CHILDREN }, (_, child) => index * CHILDREN + child + 1)
  const others = Array.from({ length: Math.max(0, links - CHILDREN) }, () => Math.floor(random() * count))
  return [...children, ...others].filter((target) => target < count)
}

const listOf = (targets: number[]) =>
  `<ul>\n${targets.map((target) => `<li><a href="${pathOf(target)}">See page ${target}</a></li>`).join('\n')}\n</ul>`

function prose(random: () => number, seed: string): string {
  const text = words(Math.round(BYTES_OF_PARAGRAPH / 7), seed).split(' ')
  const marked = text.map((word) => {
    const die = random()
    if (die < 0.02) return `<code class="literal">${word}</code>`
    if (die < 0.04) return `<em>${word}</em>`
    return word
  })
  return `<p class="para">${marked.join(' ')}</p>`
}
