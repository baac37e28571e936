import { Parser } from 'htmlparser2'

/** Characters of a page that are read; what tells stands at its beginning. */
const READ = 512 * 1024
/** Characters of one comment or inline script, and of all that is kept. */
const TEXT = 4096
const KEPT = 256 * 1024

export type Traces = { generators: string[]; loads: string; markup: string }

const telling = new Set(['html', 'body', 'meta', 'link', 'script'])
const fetching = /\b(?:stylesheet|preload|modulepreload)\b/i

/** What of a page its makers wrote for machines; nothing that its authors wrote for readers. One pass. */
export function tracesOf(html: string, url: URL): Traces {
  const generators: string[] = []
  const loads: string[] = []
  const markup: string[] = []
  let kept = 0
  let script: string | null = null
  const keep = (list: string[], text: string) => {
    kept += text.length
    if (kept < KEPT) list.push(text)
  }
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'meta' && attributes.name?.toLowerCase() === 'generator')
        generators.push(attributes.content ?? '')
      else if (telling.has(name) || attributes.id !== undefined) keep(markup, written(name, attributes))
      const address =
        name === 'script' ? attributes.src : fetching.test(attributes.rel ?? '') ? attributes.href : null
      if (address) keep(loads, URL.parse(address, url.href)?.href ?? '')
      if (name === 'script') script = /^$|javascript|^module$/i.test(attributes.type ?? '') ? '' : null
    },
    ontext(text) {
      if (script !== null && script.length < TEXT) script += text
    },
    onclosetag(name) {
      if (name !== 'script') return
      if (script) keep(markup, script.slice(0, TEXT))
      script = null
    },
    oncomment: (text) => keep(markup, `<!--${text.slice(0, TEXT)}-->`),
  })
  parser.write(html.slice(0, READ))
  parser.end()
  return { generators, loads: loads.join('\n'), markup: markup.join('\n') }
}

const written = (name: string, attributes: Record<string, string>) =>
  `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${value}"`)
    .join('')}>`
