import { fold } from './fold.ts'

/** What an answer says, and what it links to. */
export type Prose = {
  /** Folded, line by line, without links' targets, notes and bare addresses; emphasis is left. */
  text: string
  /** Addresses that it links to or writes out, in order. */
  urls: string[]
}

/** Characters read of an answer. */
const LENGTH = 100_000

const URLS = /<?https?:\/\/[^\s<>"')\]|]+>?/gi
/** `![alt](target)`, `[label](target "title")`; a target may have brackets of its own. */
const LINK =
  /(!?)\[([^\][\n]{0,300})\]\(\s{0,9}<?((?:[^()\s]|\([^()\s]{0,200}\)){0,2000}?)>?(?:\s{1,9}"[^"\n]{0,300}")?\s{0,9}\)/g
const NOTE = /\[\^?\d+\](?!\()|【[^】\n]{0,100}】|^\[\^?\d+\]:/gm
/** A link that is called by its address is a source, and names nobody. */
const ADDRESS = /^[\s"']*(?:https?:\/\/\S+|(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?:\/\S*)?)[\s"']*$/u
/** Where the link of a source begins: alone in brackets, or after another. */
const BEFORE = /\($|[,;]\s$/
/** A number without the space behind it would be read as a host: `1.Acme`. */
const TIGHT = /^([ \t]*\d{1,2}[.)])(?=\p{L})/gmu
/** Emphasis by underscores; within words they belong to these. */
const UNDERSCORES = /(?<![\p{L}\p{N}_])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![\p{L}\p{N}_])/gu

export function proseOf(answer: string): Prose {
  const urls: string[] = []
  const text = answer
    .slice(0, LENGTH)
    .replace(/\r\n?/g, '\n')
    .replace(TIGHT, '$1 ')
    .replace(LINK, (link: string, image: string, label: string, target: string, at: number, all: string) => {
      if (/^https?:/i.test(target)) urls.push(target)
      const isSource =
        BEFORE.test(all.slice(Math.max(0, at - 2), at)) && /[),;]/.test(all[at + link.length] ?? '')
      return image || isSource || ADDRESS.test(label) ? ' ' : label
    })
    .replace(NOTE, ' ')
    .replace(URLS, (url) => {
      urls.push(url.replace(/^<|[>.,;:!?*_]+$/g, ''))
      return ' '
    })
    .replace(UNDERSCORES, '')
  return { text: fold(text), urls }
}
