const vocabulary = `amber anchor apple arbor autumn basket beacon birch border bottle branch bridge bronze
candle canyon carpet castle cedar chapel circle cliff cloud copper cotton cradle crystal delta desert dragon
eagle ember engine falcon feather fiddle flower forest fountain garden ginger glacier granite harbor hazel helmet
hollow island ivory jacket jasmine kettle lantern lemon linen lumber magnet maple marble meadow mirror mosaic
mountain needle nickel ocean olive orchard oyster paddle palace pebble pepper piano pillow planet pocket prairie
quarry quartz rabbit raven ribbon river saddle saffron sailor shadow silver spruce stable summer sunset table
temple thunder timber tunnel valley velvet violet walnut willow window winter wonder yellow zephyr`.split(
  /\s+/,
)

/** A small generator of the same numbers for the same seed, between 0 and 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** So many words, the same for the same seed. */
export function words(count: number, seed: string | number): string {
  const random = randomOf(typeof seed === 'number' ? seed : hash(seed))
  return Array.from({ length: count }, () => vocabulary[Math.floor(random() * vocabulary.length)]).join(' ')
}

function hash(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return value >>> 0
}

export type Document = {
  lang?: string | null
  title?: string | null
  description?: string | null
  /** Absolute address of the canonical link. */
  canonical?: string | null
  h1?: string | null
  /** More for the head. */
  head?: string
  /** Comes after the heading. */
  body?: string
  /** Words of filler text. */
  filler?: number
}

/** A page with nothing wrong about it, but for what the caller overrides; null leaves a part out. */
export function html(path: string, origin: string, document: Document = {}): string {
  const name = path.replace(/[^a-z0-9]+/gi, ' ').trim() || 'home'
  const {
    lang = 'en',
    title = fit(`Page ${name}`, 40),
    description = fit(`What the page ${name} says`, 110),
    canonical = origin + path,
    h1 = `Heading of ${name}`,
    head = '',
    body = '',
    filler = 220,
  } = document
  return `<!doctype html>
<html${lang === null ? '' : ` lang="${lang}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${title === null ? '' : `<title>${title}</title>`}
${description === null ? '' : `<meta name="description" content="${description}">`}
${canonical === null ? '' : `<link rel="canonical" href="${canonical.replaceAll('&', '&amp;')}">`}
${head}
</head>
<body>
<main>
${h1 === null ? '' : `<h1>${h1}</h1>`}
${body}
<p>${words(filler, path)}</p>
<p><a href="/">Home</a></p>
</main>
</body>
</html>`
}

/** The text brought to a length with filler words. */
export function fit(text: string, length: number): string {
  const padded = `${text} ${words(length, text)}`.slice(0, length)
  return padded.endsWith(' ') ? `${padded.slice(0, -1)}s` : padded
}
