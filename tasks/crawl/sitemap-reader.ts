import { Parser } from 'htmlparser2'

/** Longest address the protocol allows is 2,048; anything far beyond is not kept. */
const maxAddressLength = 8_192
/** The parser's work grows with the square of the depth: 200,000 nested tags kept it busy for 20 s. No sitemap is deep. */
const maxDepth = 100

/** Language versions kept of one entry. */
const maxAlternates = 100
const maxDateLength = 40

/** One address as a sitemap lists it; `lastmod` as written. */
export type Entry = {
  loc: string
  lastmod: string | null
  alternates: { lang: string; href: string }[]
}

export type Found = { pages: Entry[]; sitemaps: Entry[] }

/**
 * Reads one file as its bytes arrive, keeping no more than the addresses found: an XML sitemap or sitemap index, RSS,
 * Atom, or plain text with one address a line.
 */
export function sitemapReader() {
  let found: Found = { pages: [], sitemaps: [] }
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let format: Format | undefined

  const feed = (text: string) => {
    if (format) return format.write(text)
    const start = text.trimStart()
    if (!start) return
    format = start.startsWith('<') ? xml(() => found) : lines(() => found)
    format.write(start)
  }

  return {
    write(chunk: Buffer) {
      decoder ??= new TextDecoder(encodingOf(chunk))
      feed(decoder.decode(chunk, { stream: true }))
    },
    end() {
      if (decoder) feed(decoder.decode())
      format?.end()
    },
    waiting: () => found.pages.length + found.sitemaps.length,
    /** What was found since the last time, with so many pages at most. */
    take(pages: number): Found {
      const taken = { pages: found.pages.slice(0, pages), sitemaps: found.sitemaps }
      found = { pages: [], sitemaps: [] }
      return taken
    },
    isSitemap: () => format?.isSitemap() ?? false,
    /** Whether an XML parser would take all that was read, and every entry has an address. */
    isSound: () => format?.isSound() ?? true,
  }
}

type Format = {
  write: (text: string) => void
  end: () => void
  isSitemap: () => boolean
  isSound: () => boolean
}

type Place = { list: keyof Found; inAttribute?: boolean } | 'lastmod' | 'alternate'

/** Where things stand: the names of root, entry and element. Those of other name spaces (`image:loc`) do not count. */
const places: Record<string, Place> = {
  'urlset url loc': { list: 'pages' },
  'urlset url lastmod': 'lastmod',
  'urlset url xhtml:link': 'alternate',
  'sitemapindex sitemap loc': { list: 'sitemaps' },
  'rss item link': { list: 'pages' },
  'RDF item link': { list: 'pages' },
  'feed entry link': { list: 'pages', inAttribute: true },
}
const roots = new Set(Object.keys(places).map((place) => place.split(' ')[0]))
const entries = new Set(['url', 'sitemap', 'item', 'entry'])
/** No reference to a character is longer. */
const maxReference = 12
const BARE_AMPERSAND = /&(?!#?\w{1,10};)/

function xml(found: () => Found): Format {
  const open: string[] = []
  let prefix = ''
  let collecting: keyof Found | 'lastmod' | undefined
  let text = ''
  let known = false
  let sound = true
  /** An element has just been opened: a self-closing one is closed at once. */
  let fresh = false
  let cdata = false
  let tail = ''
  const inspect = (text: string) => {
    cdata ||= text.includes('<![CDATA[')
    if (!cdata && BARE_AMPERSAND.test(text)) sound = false
  }
  /** The entry that is open: its addresses, and what it says of them. */
  let met: { list: keyof Found; loc: string }[] = []
  let lastmod: string | null = null
  let alternates: Entry['alternates'] = []
  const meet = (list: keyof Found, loc: string) => {
    if (loc && loc.length <= maxAddressLength) met.push({ list, loc })
  }
  const close = (entry: string) => {
    if (met.length === 0 && (entry === 'url' || entry === 'sitemap')) sound = false
    for (const { list, loc } of met) found()[list].push({ loc, lastmod, alternates })
    met = []
    lastmod = null
    alternates = []
  }
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (open.length > maxDepth) return parser.pause()
        fresh = true
        const colon = name.indexOf(':') + 1
        if (open.length === 0) {
          // RSS 1.0 names its root rdf:RDF and the rest without a prefix.
          prefix = name === 'rdf:RDF' ? '' : name.slice(0, colon)
          known = roots.has(name.slice(colon))
          open.push(name.slice(colon))
        } else open.push(name.startsWith(prefix) ? name.slice(prefix.length) : name)
        const place = places[`${open[0]} ${open.at(-2)} ${open.at(-1)}`]
        if (!place) return
        if (place === 'lastmod') collecting = place
        else if (place === 'alternate') {
          const { rel, hreflang: lang, href } = attributes
          if (rel === 'alternate' && lang && href && alternates.length < maxAlternates)
            alternates.push({ lang, href })
        } else if (!place.inAttribute) collecting = place.list
        else if ((attributes.rel ?? 'alternate') === 'alternate')
          meet(place.list, attributes.href?.trim() ?? '')
      },
      ontext(part) {
        fresh = false
        if (collecting && text.length <= maxAddressLength) text += part
      },
      onclosetag(_name, implied) {
        if (implied && !fresh) sound = false
        fresh = false
        const closed = open.pop() ?? ''
        if (entries.has(closed)) close(closed)
        if (!collecting) return
        if (collecting === 'lastmod') lastmod = text.trim().slice(0, maxDateLength) || null
        else meet(collecting, text.trim())
        collecting = undefined
        text = ''
      },
    },
    { xmlMode: true },
  )
  return {
    write(text) {
      tail += text
      inspect(tail.slice(0, -maxReference))
      tail = tail.slice(-maxReference)
      if (open.length <= maxDepth) parser.write(text)
    },
    end() {
      inspect(tail)
      if (open.length <= maxDepth) parser.end()
    },
    isSitemap: () => known,
    isSound: () => sound && open.length <= maxDepth,
  }
}

function lines(found: () => Found): Format {
  let rest = ''
  let known = false
  const add = (line: string) => {
    const address = line.trim()
    if (!/^https?:\/\//i.test(address) || address.length > maxAddressLength) return
    known = true
    found().pages.push({ loc: address, lastmod: null, alternates: [] })
  }
  return {
    write(text) {
      const whole = (rest + text).split(/[\r\n]+/)
      rest = (whole.pop() ?? '').slice(0, maxAddressLength + 1)
      for (const line of whole) add(line)
    },
    end: () => add(rest),
    isSitemap: () => known,
    isSound: () => true,
  }
}

function encodingOf(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8'
}
