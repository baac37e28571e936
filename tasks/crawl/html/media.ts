import type { Facts } from '../facts.ts'
import type { Attributes } from './attributes.ts'

const LONG_ALT = 100
/** Pixels; a smaller picture is an icon. */
const ICON = 100
/** Placeholders that tell nobody what an image shows, and file names. */
const GENERIC_ALT =
  /^(image|img|immagine|bild|imagen|photo|foto|picture|pic|logo|icon|icona|banner|graphic|untitled|placeholder|alt|null|undefined|image ?\d+|img[_ -]?\d+|dsc[_ -]?\d+|[^\s/]+\.(jpe?g|png|gif|webp|avif|svg|bmp|tiff?))$/i
const PLUGIN = /shockwave|silverlight|x-java|\.(swf|xap|class)([?#]|$)/i
const HTTP = /^\s*http:/i
const HTTP_IN_SET = /(^|[\s,])http:/i

/** Images, plug-ins, frames, forms and the resources a page asks for. */
export class Media {
  #images = { count: 0, noAlt: 0, longAlt: 0, genericAlt: 0, noSize: 0, lazyFirst: false }
  /** Whether the first picture, icons apart, has been met. */
  #hasFirst = false
  #forms = { count: 0, insecure: 0 }
  #insecure = { active: 0, passive: 0 }
  #plugins = 0
  #frames = 0
  #picture: { hasImage: boolean } | null = null
  #picturesWithoutImage = 0

  /** `isFirst`: it stands where the page begins, if it is the first. */
  addImage(attributes: Attributes, isFirst: boolean) {
    const images = this.#images
    images.count++
    const isLazy = attributes.word('loading') === 'lazy'
    if (isLazy && attributes.word('fetchpriority') === 'high') images.lazyFirst = true
    if (!this.#hasFirst && !isIcon(attributes)) {
      this.#hasFirst = true
      if (isLazy && isFirst) images.lazyFirst = true
    }
    const alt = attributes.get('alt')
    if (alt === null) images.noAlt++
    else if (alt.length > LONG_ALT && [...alt.trim()].length > LONG_ALT) images.longAlt++
    else if (GENERIC_ALT.test(alt.trim())) images.genericAlt++
    const sized = attributes.has('width') && attributes.has('height')
    if (!sized && !/aspect-ratio|(^|[\s;])height\s*:/i.test(attributes.get('style') ?? '')) images.noSize++
    if (this.#picture) this.#picture.hasImage = true
    this.addPassive(attributes)
  }

  /** Image, audio, video or one of their sources. */
  addPassive(attributes: Attributes) {
    if (HTTP.test(attributes.get('src') ?? '') || HTTP_IN_SET.test(attributes.get('srcset') ?? ''))
      this.#insecure.passive++
  }

  /** Script, style sheet, frame or plug-in at this address. */
  addActive(address: string | null) {
    if (address !== null && HTTP.test(address)) this.#insecure.active++
  }

  openPicture() {
    this.closePicture()
    this.#picture = { hasImage: false }
  }

  closePicture() {
    if (this.#picture && !this.#picture.hasImage) this.#picturesWithoutImage++
    this.#picture = null
  }

  addPlugin(name: string, attributes: Attributes) {
    const address = attributes.get('data') ?? attributes.get('src')
    this.addActive(address)
    if (name === 'applet' || PLUGIN.test(`${attributes.get('type') ?? ''} ${address ?? ''}`)) this.#plugins++
  }

  addFrame() {
    this.#frames++
  }

  addForm(attributes: Attributes) {
    this.#forms.count++
    if (HTTP.test(attributes.get('action') ?? '')) this.#forms.insecure++
  }

  facts(): Pick<Facts, 'images' | 'forms' | 'insecure' | 'plugins' | 'frames' | 'picturesWithoutImage'> {
    return {
      images: this.#images,
      forms: this.#forms,
      insecure: this.#insecure,
      plugins: this.#plugins,
      frames: this.#frames,
      picturesWithoutImage: this.#picturesWithoutImage,
    }
  }
}

/** Small, by its own account. */
const isIcon = (attributes: Attributes) =>
  ['width', 'height'].some((name) => Number.parseFloat(attributes.get(name) ?? '') < ICON)
