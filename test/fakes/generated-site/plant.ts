import type { Page } from './page.ts'

/** The codes that an audit finds on the page, parted by spaces, and how the page gets its fault; `n` differs for each. */
export type Plant = [codes: string, plant: (page: Page, n: number) => void]

export const set = (given: Partial<Page>) => (page: Page) => void Object.assign(page, given)
export const head = (html: string) => (page: Page) => void (page.head += html)
export const after = (html: string) => (page: Page) => void (page.after += html)
export const path = (change: (path: string) => string) => (page: Page) => void (page.path = change(page.path))

/** Takes a page out of search engines, and out of the sitemap. */
export function hide(page: Page, directives = 'noindex'): Page {
  page.head += `<meta name="robots" content="${directives}">`
  return Object.assign(page, { schema: null, isIndexable: false, isListed: false })
}

/** Names another page as canonical. */
export const leave = (page: Page, canonical: string): Page =>
  Object.assign(page, { canonical, isIndexable: false, isListed: false })
