import { hash } from 'node:crypto'

import { cut, folded, safeName, splitName } from './file-names.ts'

/** Characters of a file's folders together: Windows takes 260 with those in which the archive is unpacked. */
const FOLDERS = 100
/** Bytes of a query that a name shows. */
const QUERY = 32
/** Hexadecimal digits that tell addresses apart. */
const DIGITS = 8

/** What the archive itself puts at its root. */
const OWN = ['manifest.json', 'index.html']

/** Names the files of an archive: readable, unique, and safe on every file system. */
export class Paths {
  #site: string
  /** Whose the files are, by their folded paths. */
  #files = new Map(OWN.map((path) => [folded(path), '']))
  #folders = new Set<string>()

  /** Files of the site that `start` belongs to lie at the root, those of other hosts in a folder of the host's name. */
  constructor(start: URL) {
    this.#site = siteOf(start)
  }

  /**
   * The path of this address in the archive, as stored in the ZIP: relative, with `/`, not percent-encoded. The same
   * addresses in the same order get the same paths, and one address of one type keeps its own.
   */
  assign(url: URL, contentType: string | null): string {
    const isOwn = siteOf(url) === this.#site
    const folders = url.pathname.split('/').slice(1)
    const last = folders.pop()
    if (!isOwn) folders.unshift(url.host)
    return this.#file(
      this.#folder(folders),
      last || (folders.length > 0 ? 'index' : 'home'),
      url,
      contentType,
    )
  }

  #folder(segments: string[]): string {
    let path = ''
    let address = ''
    for (const segment of segments) {
      address += `${segment}/`
      const name = safeName(segment)
      // The rest of a deep hierarchy becomes one folder.
      const isTooLong = path.length + cut(name).length > FOLDERS
      const whole = isTooLong ? segments.join('/') : address
      const readable = isTooLong ? '' : cut(name)
      let suffix = readable === name ? '' : mark(whole)
      for (let i = 1; this.#files.has(folded(path + readable + suffix)); i++) suffix = mark(whole, i)
      path += readable + suffix
      this.#folders.add(folded(path))
      path += '/'
      if (isTooLong) break
    }
    return path
  }

  #file(folder: string, segment: string, { href, search }: URL, contentType: string | null): string {
    const { stem, extension } = splitName(safeName(segment), contentType)
    const whole = search ? `${stem}_${cut(safeName(search.slice(1)), QUERY)}` : stem
    const readable = cut(whole)
    const address = href.split('#', 1)[0]!
    const owner = hash('sha1', address, 'base64url')
    let suffix = search || readable !== whole ? mark(address) : ''
    for (let i = 1; ; i++) {
      const path = `${folder}${readable}${suffix}${extension && '.'}${extension}`
      const key = folded(path)
      const other = this.#files.get(key)
      if (other === owner || (other === undefined && !this.#folders.has(key))) {
        this.#files.set(key, owner)
        return path
      }
      suffix = mark(address, i)
    }
  }
}

/** The way from one file of the archive to another, as a relative address that opens from files too. */
export function relativePath(from: string, to: string): string {
  const start = from.split('/').slice(0, -1)
  const target = to.split('/')
  let common = 0
  while (common < start.length && common < target.length - 1 && start[common] === target[common]) common++
  return [...start.slice(common).fill('..'), ...target.slice(common).map(encoded)].join('/')
}

const siteOf = ({ host }: URL) => host.replace(/^www\./, '')

/** `attempt`: another mark, should the first be taken. */
const mark = (address: string, attempt = 0) =>
  `~${hash('sha1', attempt === 0 ? address : `${attempt} ${address}`).slice(0, DIGITS)}`

/** All but letters, digits and `-._~`, so that no notation around it has anything to escape. */
const encoded = (name: string) =>
  encodeURIComponent(name).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
