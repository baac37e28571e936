import { hash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'

import type { Stats } from '../../sql/scrape-jobs.ts'
import { decodeHtml } from '../crawl/charset.ts'
import type { Head } from '../http.ts'
import type { Archive } from './archive.ts'
import { detectCms } from './cms/index.ts'
import { cssReferences } from './css-references.ts'
import type { Body } from './download.ts'
import type { Frontier, Resource } from './frontier.ts'
import { htmlReferences } from './html-references.ts'
import { Paths } from './paths.ts'
import type { Document } from './references.ts'
import { Rendering } from './rendering.ts'
import type { Spool } from './spool.ts'

/** Pages that are looked at for the system that made them. */
const CMS_PAGES = 5

const HTML = /^(text\/html|application\/xhtml\+xml)$/
const LOOKS_LIKE_HTML = /^\s*<(!doctype html|!--|html|head|body|title|h1|p|div|a\b)/i

/** Where an element shows a page, or leads to one. */
const holdsPages = new Set<Resource['role']>(['link', 'refresh', 'frame', 'object', 'other'])

type Sort = 'page' | 'sheet' | 'drawing' | 'file'

export type Places = {
  frontier: Frontier
  archive: Archive
  spool: Spool<Resource>
  stats: Stats
  signal: AbortSignal
  savesPages: boolean
}

/** Decides what a downloaded body is, and where it goes: what refers to others into the spool, all else into the archive. */
export class Keeper {
  cms: string | null = null
  readonly #to: Places
  readonly #rendering = new Rendering()
  /** The first resource with a content. */
  readonly #contents = new Map<string, Resource>()
  #paths: Paths | undefined
  #cmsPages = 0

  constructor(to: Places) {
    this.#to = to
  }

  async keep(resource: Resource, head: Head, body: Body): Promise<void> {
    const sort = sortOf(resource, head)
    if (sort === 'page') await this.#keepPage(resource, head, await read(body))
    else if (sort === 'file') await this.#keepFile(resource, head, body)
    else await this.#keepStyle(resource, head, sort, body)
  }

  close() {
    return this.#rendering.close()
  }

  async #keepFile(resource: Resource, { status, contentType, url }: Head, body: Body) {
    resource.type = contentType ?? 'application/octet-stream'
    resource.status = status
    if (this.#isKnown(resource, `file ${body.hash}`)) {
      if ('file' in body.content) await rm(body.content.file)
      return
    }
    this.#to.stats.resources_downloaded++
    resource.size = body.size
    resource.hash = body.hash
    resource.path = this.#pathOf(url, contentType)
    await this.#to.archive.add(resource.path, body.content, resource.type)
  }

  /** A style sheet or a drawing. */
  async #keepStyle(resource: Resource, head: Head, sort: Sort, body: Body) {
    const { status, contentType, url, headers } = head
    resource.type = contentType ?? 'text/css'
    resource.status = status
    const content = await read(body)
    if (this.#isKnown(resource, `${sort} ${body.hash}`)) return
    this.#to.stats.resources_downloaded++
    const { charset } = decodeHtml(content, declared(content) ?? headers['content-type'])
    const document = (sort === 'sheet' ? cssReferences : htmlReferences)(content, url, charset)
    this.#offer(document, resource, false)
    await this.#spool(resource, content, document)
  }

  async #keepPage(resource: Resource, head: Head, content: Buffer) {
    const { status, contentType, url, headers } = head
    const decoded = decodeHtml(content, headers['content-type'])
    if (contentType === null && !LOOKS_LIKE_HTML.test(decoded.html))
      return await this.#keepFile(resource, head, bodyOf(content))
    resource.type = contentType ?? 'text/html'
    this.#lookForCms(head, decoded.html)

    const rendered = await this.#rendering.fill(decoded.html, url, this.#to.signal)
    // Whatever the page says of its encoding, these bytes are UTF-8.
    const body = rendered ? Buffer.from(`\ufeff${rendered.html}`) : content
    const isSaved = this.#to.savesPages || resource.isStart
    if (isSaved) resource.status = status
    if (this.#isKnown(resource, `page ${hash('sha256', body, 'base64url')}`)) return
    // What is shown in a frame is part of the page around it.
    this.#to.stats[resource.kind === 'page' ? 'pages_downloaded' : 'resources_downloaded']++
    const document = htmlReferences(body, rendered?.url ?? url, rendered ? 'utf-8' : decoded.charset)
    // What came in place of an image shows nothing.
    if (holdsPages.has(resource.role)) this.#offer(document, resource, true)
    if (isSaved) await this.#spool(resource, body, document)
  }

  #isKnown(resource: Resource, content: string): boolean {
    const known = this.#contents.get(content)
    if (!known) {
      this.#contents.set(content, resource)
      return false
    }
    resource.target = known
    this.#to.stats.duplicates_skipped++
    return true
  }

  #offer({ references }: Document, from: Resource, withPages: boolean) {
    for (const reference of references)
      if (withPages || reference.kind === 'requisite') this.#to.frontier.offer(reference, from)
  }

  async #spool(resource: Resource, body: Buffer, document: Document) {
    resource.path = this.#pathOf(new URL(resource.url), resource.type)
    await this.#to.spool.add(resource, body, document)
  }

  /** The start page comes first, and says where the root is. */
  #pathOf(url: URL, contentType: string | null) {
    this.#paths ??= new Paths(url)
    return this.#paths.assign(url, contentType)
  }

  #lookForCms({ url, headers, setCookies }: Head, html: string) {
    if (this.cms !== null || this.#cmsPages >= CMS_PAGES || !this.#to.frontier.isSite(url)) return
    this.#cmsPages++
    this.cms = detectCms({ url, headers, setCookies, html })
  }
}

/** Whether it refers to others, and so has to be rewritten, and in what language. */
export function sortOf({ role }: Resource, { contentType }: Head): Sort {
  if (contentType === null) return role === 'style' ? 'sheet' : holdsPages.has(role) ? 'page' : 'file'
  if (HTML.test(contentType)) return 'page'
  if (contentType === 'text/css') return 'sheet'
  return contentType === 'image/svg+xml' ? 'drawing' : 'file'
}

async function read({ content }: Body): Promise<Buffer> {
  if (Buffer.isBuffer(content)) return content
  const bytes = await readFile(content.file)
  await rm(content.file)
  return bytes
}

const bodyOf = (content: Buffer): Body => ({
  content,
  size: content.length,
  hash: hash('sha256', content, 'base64url'),
})

/** `@charset`, as a Content-Type header would say it. */
function declared(content: Buffer): string | undefined {
  const label = /^@charset "([^"]{1,40})";/.exec(content.toString('latin1', 0, 60))?.[1]
  return label && `text/css; charset=${label}`
}
