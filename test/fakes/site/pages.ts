import { content, descriptions, headings, indexing, titles } from './content.ts'
import { linkForms, links, rules, sitemapOnly } from './links.ts'
import { encodings, errors, files, redirects } from './responses.ts'
import type { Definition } from './truth.ts'

const groups = [
  titles,
  descriptions,
  headings,
  content,
  indexing,
  errors,
  redirects,
  files,
  encodings,
  links,
  rules,
]

export const hubs = groups.map(({ hub }) => hub)

/** Named only where a crawler must not look for links. */
const traps = [
  'comment',
  'script',
  'textarea',
  'form',
  'button',
  'from-pdf',
  'from-json',
  'from-text',
  'from-css',
]

/** Every page of the site but the front page, by path with query. */
export function definitions(): Map<string, Definition> {
  const all = new Map<string, Definition>(Object.entries(sitemapOnly))
  for (const { hub, pages, hubHas = [] } of groups) {
    const anchors = Object.entries(pages)
      .filter(([, { unlinked }]) => !unlinked)
      .map(([path]) => `<li><a href="${path.replaceAll('&', '&amp;')}">${path.replace(/\W+/g, ' ')}</a></li>`)
    const list = `<ul>${anchors.join('\n')}</ul>`
    const doc: Definition['doc'] =
      hub === links.hub ? (origin, other) => ({ body: linkForms(origin, other) }) : { body: list }
    all.set(hub, { doc, has: hubHas })
    for (const [path, definition] of Object.entries(pages)) all.set(path, definition)
  }
  for (const trap of traps) all.set(`/never/${trap}`, { doc: {}, listed: 'never' })
  return all
}
