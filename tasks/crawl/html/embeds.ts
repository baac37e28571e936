import type { Facts } from '../facts.ts'
import type { Attributes } from './attributes.ts'
import { Code } from './code.ts'
import { Media } from './media.ts'
import { Resources } from './resources.ts'
import type { Tag } from './tags.ts'

/** What a page is made of besides its text: pictures, scripts, style sheets, frames, plug-ins, forms. */
export class Embeds {
  readonly code = new Code()
  #media = new Media()
  #resources = new Resources()

  /** `isAbove`: what is seen without scrolling. */
  meet({ name }: Tag, attributes: Attributes, inBody: boolean, isAbove: boolean) {
    switch (name) {
      case 'img':
        this.#media.addImage(attributes, isAbove)
        return this.#resources.addImage(attributes)
      case 'link':
        return this.#meetLink(attributes, inBody)
      case 'script':
        return this.#meetScript(attributes, inBody)
      case 'style':
        return this.code.openStyle()
      case 'frame':
      case 'iframe':
        if (name === 'frame') this.#media.addFrame()
        return this.#media.addActive(attributes.get('src'))
      case 'frameset':
        return this.#media.addFrame()
      case 'form':
        return this.#media.addForm(attributes)
      case 'picture':
        this.#resources.openPicture()
        return this.#media.openPicture()
      case 'source':
        this.#resources.addSource(attributes)
        return this.#media.addPassive(attributes)
      case 'audio':
      case 'video':
        return this.#media.addPassive(attributes)
      case 'object':
      case 'embed':
      case 'applet':
        return this.#media.addPlugin(name, attributes)
    }
  }

  leave({ name, raw }: Tag) {
    if (raw) this.code.close()
    if (name !== 'picture') return
    this.#media.closePicture()
    this.#resources.closePicture()
  }

  facts(): ReturnType<Media['facts']> & ReturnType<Code['facts']> & Pick<Facts, 'resources'> {
    return { ...this.#media.facts(), ...this.#resources.facts(), ...this.code.facts() }
  }

  #meetLink(attributes: Attributes, inBody: boolean) {
    this.#resources.addLink(attributes)
    if (!attributes.words('rel').includes('stylesheet')) return
    this.#media.addActive(attributes.get('href'))
    this.code.addStyleSheet(attributes, inBody)
  }

  #meetScript(attributes: Attributes, inBody: boolean) {
    this.code.openScript(attributes, inBody)
    const source = attributes.get('src')
    if (source === null) return
    this.#media.addActive(source)
    this.#resources.addScript(source)
  }
}
