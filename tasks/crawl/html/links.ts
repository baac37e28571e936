import type { Facts, Link } from '../facts.ts'
import { fragmentOf } from '../fragments.ts'
import { resolver } from '../url.ts'
import type { Attributes } from './attributes.ts'
import { line } from './text.ts'

/** Links kept of one page, and code points kept of a link's text. */
const LINKS = 20_000
const TEXT = 200

type Written = Omit<Link, 'url' | 'to' | 'fragment' | 'text'> & {
  href: string
  parts: string[]
  label: string | null
  title: string | null
}

type LinkFacts = Pick<Facts, 'links' | 'uncrawlable' | 'malformed'>

/** The links of a page. Addresses are resolved at the end, because a `<base>` may follow them. */
export class Links {
  #links: Written[] = []
  #open: Written | null = null
  #uncrawlable = 0

  /** A start tag `a` or `area`. */
  open(source: 'a' | 'area', attributes: Attributes) {
    this.close()
    const href = attributes.get('href') ?? attributes.get('xlink:href')
    if (href === null) {
      // Without an address it is no link, unless it looks like one to readers: anchors and widgets say what they are.
      if (source === 'a' && !['name', 'id', 'role'].some((name) => attributes.has(name))) this.#uncrawlable++
      return
    }
    if (/^\s*javascript:/i.test(href)) {
      this.#uncrawlable++
      return
    }
    const link = written(source, href, attributes)
    this.#keep(link)
    if (source === 'a') this.#open = link
  }

  /** A link that only readers without JavaScript see: it is crawled, nothing more. */
  openHidden(attributes: Attributes) {
    const href = attributes.get('href')
    if (href !== null) this.#keep({ ...written('a', href, attributes), hidden: true })
  }

  /** The address of a frame. */
  addFrame(attributes: Attributes) {
    const href = attributes.get('src')
    if (href) this.#keep({ ...plain, href, source: 'frame', parts: [] })
  }

  addText(text: string) {
    if (this.#open && this.#open.parts.length < TEXT) this.#open.parts.push(text)
  }

  get isOpen() {
    return this.#open !== null
  }

  close() {
    this.#open = null
  }

  /** `refresh`: where the page sends browsers by itself. */
  facts(base: URL, refresh: string | null): LinkFacts {
    if (refresh !== null) this.#keep({ ...plain, href: refresh, source: 'refresh', parts: [] })
    const resolve = resolver(base)
    const links: Link[] = []
    let malformed = 0
    for (const { href, parts, label, title, source, nofollow, opener, hidden } of this.#links) {
      const to = resolve(href)
      if ((source === 'a' || source === 'area') && isMalformed(href, to !== null)) malformed++
      if (to === null) continue
      const text = line(label ?? '', TEXT) ?? line(parts.join(''), TEXT) ?? line(title ?? '', TEXT) ?? ''
      const fragment = fragmentOf(href)
      links.push({ url: to.href, to, nofollow, text, source, opener, hidden, fragment })
    }
    return { links, uncrawlable: this.#uncrawlable, malformed }
  }

  #keep(link: Written) {
    if (this.#links.length < LINKS) this.#links.push(link)
  }
}

function written(source: 'a' | 'area', href: string, attributes: Attributes): Written {
  const rel = attributes.words('rel')
  return {
    href,
    source,
    nofollow: rel.includes('nofollow'),
    opener:
      attributes.word('target') === '_blank' && !rel.includes('noopener') && !rel.includes('noreferrer'),
    hidden: attributes.word('aria-hidden') === 'true',
    parts: [],
    label: attributes.get('aria-label') ?? attributes.get('aria-labelledby'),
    title: attributes.get('title') ?? (source === 'area' ? attributes.get('alt') : null),
  }
}

const plain = {
  nofollow: false,
  opener: false,
  hidden: false,
  label: null,
  title: null,
} satisfies Partial<Written>

/** A mistyped `http`, a host where a scheme should be, a backslash, or nothing that parses. */
function isMalformed(href: string, followed: boolean): boolean {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(href)?.[1]?.toLowerCase()
  const web = scheme === undefined || scheme === 'http' || scheme === 'https'
  if (web) return !followed || href.split(/[?#]/, 1)[0]!.includes('\\')
  return scheme.includes('.') || scheme === 'localhost' || /^h{0,2}t{1,3}p{0,2}s{0,2}$/.test(scheme)
}
