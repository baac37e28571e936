import { type Html, html } from '../../html.ts'

/** Longer addresses and titles are cut, code points. */
const SHOWN = 160
/** Longer addresses are no links, so that a report of hostile ones stays small. */
const LINKED = 600

/** An address of the crawled site: a link if it is a web address, isolated from the text around it. */
export function address(url: string): Html {
  const shown = html`<bdi>${cut(url)}</bdi>`
  if (!/^https?:\/\//i.test(url) || url.length > LINKED) return shown
  return html`<a href="${url}" rel="noopener noreferrer nofollow">${shown}</a>`
}

/** The first code points of a text of the crawled site. */
export function cut(text: string): string {
  const points = Array.from(text)
  return points.length <= SHOWN ? text : `${points.slice(0, SHOWN - 1).join('')}…`
}
