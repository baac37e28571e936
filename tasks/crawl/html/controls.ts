import type { Facts } from '../facts.ts'
import type { Attributes } from './attributes.ts'

/** Controls that bring a name of their own, or need none. */
const NAMED = new Set(['hidden', 'submit', 'reset'])
const LABELS = 2000

/** Form controls and buttons, and what they are called for those who cannot see the page. */
export class Controls {
  #labelled = new Set<string>()
  /** Ids of controls that nothing but a label elsewhere could name. */
  #waiting: string[] = []
  #unlabelled = 0
  #unnamedButtons = 0
  #inLabel = false
  /** Whether the button that is open has a name so far. */
  #button: boolean | null = null

  get isButtonOpen() {
    return this.#button !== null
  }

  open(name: string, attributes: Attributes) {
    if (name === 'label') return this.#openLabel(attributes)
    const type = name === 'input' ? attributes.word('type') : ''
    const isHidden = attributes.has('hidden') || attributes.word('aria-hidden') === 'true'
    const named = isHidden || isNamed(attributes)
    if (name === 'button') this.#button = named
    else if (type === 'button') this.#unnamedButtons += named || attributes.word('value') ? 0 : 1
    else if (type === 'image') this.#unnamedButtons += named || attributes.word('alt') ? 0 : 1
    else if (!named && !this.#inLabel && !NAMED.has(type)) this.#await(attributes.get('id'))
  }

  /** Text, or what stands for a picture. */
  addText(text: string) {
    if (this.#button === false && /\S/.test(text)) this.#button = true
  }

  close(name: string) {
    if (name === 'label') this.#inLabel = false
    if (name !== 'button' || this.#button === null) return
    if (!this.#button) this.#unnamedButtons++
    this.#button = null
  }

  facts(): Pick<Facts, 'controls'> {
    const waiting = this.#waiting.filter((id) => !this.#labelled.has(id)).length
    return { controls: { unlabelled: this.#unlabelled + waiting, unnamedButtons: this.#unnamedButtons } }
  }

  #openLabel(attributes: Attributes) {
    this.#inLabel = true
    const id = attributes.get('for')
    if (id && this.#labelled.size < LABELS) this.#labelled.add(id)
  }

  #await(id: string | null) {
    if (id && this.#waiting.length < LABELS) this.#waiting.push(id)
    else this.#unlabelled++
  }
}

const isNamed = (attributes: Attributes) =>
  ['aria-label', 'aria-labelledby', 'title'].some((name) => attributes.word(name) !== '')
