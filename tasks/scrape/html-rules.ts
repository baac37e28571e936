import type { Rule } from './collector.ts'
import type { Reference, Role } from './references.ts'

/** How an attribute's value is read. */
export type AttributeRule = Rule & { as: 'url' | 'srcset' | 'css' }

const requisite = (role: Role): AttributeRule => ({ as: 'url', kind: 'requisite', role })
const page = (role: Role): AttributeRule => ({ as: 'url', kind: 'page', role })

const image = requisite('image')
const media = requisite('media')
const script = requisite('script')
const object = requisite('object')
const link = page('link')
const srcset: AttributeRule = { as: 'srcset', kind: 'requisite', role: 'image' }
const css: AttributeRule = { as: 'css', kind: 'requisite', role: 'image' }
/** Nobody fetches it, but it would mean something else in an archive. */
const fixed: AttributeRule = { ...link, fixed: true }

/** What HTML elements refer to, by element and attribute. */
const elements: Record<string, Record<string, AttributeRule>> = {
  a: { href: link },
  area: { href: link },
  img: { src: image, srcset, lowsrc: image, longdesc: fixed },
  // Another name of `img` for HTML parsers, and that of AMP.
  image: { src: image, srcset },
  'amp-img': { src: image, srcset },
  source: { src: media, srcset },
  video: { src: media, poster: image },
  audio: { src: media },
  track: { src: media },
  bgsound: { src: media },
  input: { src: image, formaction: fixed },
  button: { formaction: fixed },
  form: { action: fixed },
  iframe: { src: requisite('frame'), longdesc: fixed },
  frame: { src: requisite('frame'), longdesc: fixed },
  script: { src: script },
  embed: { src: object },
  object: { data: object },
  applet: { code: object, archive: object },
  blockquote: { cite: fixed },
  q: { cite: fixed },
  ins: { cite: fixed },
  del: { cite: fixed },
  html: { manifest: fixed },
}

/** What any element may refer to. */
const anywhere: Record<string, AttributeRule> = { style: css, background: image }

/** Where scripts that load images late keep their addresses. */
const lazy: Record<string, AttributeRule> = {
  'data-srcset': srcset,
  'data-lazy-srcset': srcset,
  'data-bgset': srcset,
}
for (const name of ['src', 'lazy-src', 'lazy', 'original', 'echo', 'flickity-lazyload', 'splide-lazy'])
  lazy[`data-${name}`] = image
for (const name of ['bg', 'background', 'background-image', 'poster', 'thumb', 'large_image', 'zoom-image'])
  lazy[`data-${name}`] = image

const drawing: Record<string, AttributeRule> = {}
for (const name of 'fill stroke filter mask clip-path marker-start marker-mid marker-end cursor'.split(' '))
  drawing[name] = css

const byElement = new Map(
  Object.entries(elements).map(([name, attributes]) => [name, new Map(Object.entries(attributes))]),
)
const ofAny = new Map(Object.entries(anywhere))
const ofLazy = new Map(Object.entries(lazy))
const ofDrawing = new Map(Object.entries(drawing))

/** What a page is written in, in turn. */
export type Language = 'html' | 'drawing' | 'formula'

/** What an attribute of an element (names in lower case) refers to; `link` and `meta` have rules of their own. */
export function attributeRule(element: string, name: string, language: Language): AttributeRule | undefined {
  const late = ofLazy.get(name)
  // Such a script puts the address where the element's own attribute would have it.
  if (late) return name === 'data-src' ? (byElement.get(element)?.get('src') ?? late) : late
  if (language === 'html') return byElement.get(element)?.get(name) ?? ofAny.get(name)
  if (language === 'formula') return name === 'style' ? css : undefined
  if (name === 'href' || name === 'xlink:href')
    return element === 'a' ? link : element === 'script' ? script : image
  return ofDrawing.get(name) ?? (name === 'style' ? css : undefined)
}

export const isLate = (name: string) => ofLazy.has(name)

/** Attributes that say what others mean. */
const QUALIFIERS =
  'rel as type name value content http-equiv integrity crossorigin href imagesrcset srcdoc xlink:href'

/** All attributes that need be kept of a start tag. */
export const attributeNames: ReadonlySet<string> = new Set([
  ...QUALIFIERS.split(' '),
  ...Object.values(elements).flatMap(Object.keys),
  ...ofAny.keys(),
  ...ofLazy.keys(),
  ...ofDrawing.keys(),
])

const ICONS = /^(apple-touch-icon(-precomposed)?|apple-touch-startup-image|(fluid-|mask-)?icon)$/
/** Documents around this one, which readers may want. */
const PAGES =
  /^(alternate|next|prev|previous|start|first|last|up|contents|toc|index|chapter|section|appendix|glossary|bookmark|help|author|license|copyright)$/
/** Alternates that are answers of an API. */
const DATA = /json|oembed/i

/** What a `<link>` refers to; keywords and type are those of its attributes. */
export function linkRule(rel: string, as: string, type: string): AttributeRule {
  const words = rel.toLowerCase().split(/\s+/)
  if (words.includes('stylesheet')) return requisite('style')
  if (words.some((word) => ICONS.test(word))) return requisite('icon')
  if (words.includes('manifest')) return requisite('other')
  if (words.includes('modulepreload')) return requisite(roleOf(as || 'script'))
  if (words.includes('preload')) return requisite(roleOf(as))
  if (words.includes('prefetch') || words.includes('prerender'))
    return as && as !== 'document' ? requisite(roleOf(as)) : link
  return words.some((word) => PAGES.test(word)) && !DATA.test(type) ? link : fixed
}

/** Fetch standard, "destination". */
function roleOf(as: string): Reference['role'] {
  switch (as.toLowerCase()) {
    case 'image':
    case 'font':
    case 'script':
    case 'style':
      return as.toLowerCase() as Role
    case 'audio':
    case 'video':
    case 'track':
      return 'media'
    default:
      return 'other'
  }
}

/** `<param>` of a plug-in whose value is an address. */
export const isAddressParameter = (name: string) => /^(src|movie|filename|url)$/i.test(name)

export const rules = { srcset, object, refresh: page('refresh'), style: requisite('style') }
