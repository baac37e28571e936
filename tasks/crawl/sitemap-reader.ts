import { Parser } from 'htmlparser2'

/** Longest address the protocol allows is 2,048; anything far beyond is not kept. */
const maxAddressLength = 8_192
/** The parser's work grows with the square of the depth: 200,000 nested tags kept it busy for 20 s. No sitemap is deep. */
const maxDepth = 100

export type Found = { pages: string[]; sitemaps: string[] }

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
  }
}

type Format = { write: (text: string) => void; end: () => void; isSitemap: () => boolean }

/** Where an address stands: the names of root, entry and element. Those of other name spaces (`image:loc`) do not count. */
const places: Record<string, { list: keyof Found; inAttribute?: boolean }> = {
  'urlset url loc': { list: 'pages' },
  'sitemapindex sitemap loc': { list: 'sitemaps' },
  'rss item link': { list: 'pages' },
  'RDF item link': { list: 'pages' },
  'feed entry link': { list: 'pages', inAttribute: true },
}
const roots = new Set(Object.keys(places).map((place) => place.split(' ')[0]))

function xml(found: () => Found): Format {
  const open: string[] = []
  let prefix = ''
  let collecting: keyof Found | undefined
  let address = ''
  let known = false
  const add = (list: keyof Found, text: string) => {
    if (text && text.length <= maxAddressLength) found()[list].push(text)
  }
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (open.length > maxDepth) return parser.pause()
        const colon = name.indexOf(':') + 1
        if (open.length === 0) {
          // RSS 1.0 names its root rdf:RDF and the rest without a prefix.
          prefix = name === 'rdf:RDF' ? '' : name.slice(0, colon)
          known = roots.has(name.slice(colon))
          open.push(name.slice(colon))
        } else open.push(name.startsWith(prefix) ? name.slice(prefix.length) : name)
        const place = places[`${open[0]} ${open.at(-2)} ${open.at(-1)}`]
        if (!place) return
        if (!place.inAttribute) collecting = place.list
        else if ((attributes.rel ?? 'alternate') === 'alternate')
          add(place.list, attributes.href?.trim() ?? '')
      },
      ontext(text) {
        if (collecting && address.length <= maxAddressLength) address += text
      },
      onclosetag() {
        open.pop()
        if (!collecting) return
        add(collecting, address.trim())
        collecting = undefined
        address = ''
      },
    },
    { xmlMode: true },
  )
  return {
    write(text) {
      if (open.length <= maxDepth) parser.write(text)
    },
    end() {
      if (open.length <= maxDepth) parser.end()
    },
    isSitemap: () => known,
  }
}

function lines(found: () => Found): Format {
  let rest = ''
  let known = false
  const add = (line: string) => {
    const address = line.trim()
    if (!/^https?:\/\//i.test(address) || address.length > maxAddressLength) return
    known = true
    found().pages.push(address)
  }
  return {
    write(text) {
      const whole = (rest + text).split(/[\r\n]+/)
      rest = (whole.pop() ?? '').slice(0, maxAddressLength + 1)
      for (const line of whole) add(line)
    },
    end: () => add(rest),
    isSitemap: () => known,
  }
}

function encodingOf(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8'
}
