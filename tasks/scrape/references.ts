/** What a browser takes the target for. `link` and `refresh` lead to pages; a `frame` holds one. */
export type Role =
  | 'link'
  | 'refresh'
  | 'frame'
  | 'image'
  | 'icon'
  | 'media'
  | 'script'
  | 'style'
  | 'font'
  | 'object'
  | 'other'

/** A notation in which an address can stand; each has characters of its own to escape. */
export type Notation = 'attribute' | 'unquoted' | 'text' | 'srcset' | 'refresh' | 'css-url' | 'css-string'

/** An address written in a page or in a style sheet. */
export type Reference = {
  /** Byte offsets into the body: what `rewrite` replaces. */
  start: number
  end: number
  /** http or https, absolute, serialised as the URL standard has it, without fragment. */
  url: string
  /** With its `#`, or empty. */
  fragment: string
  /** A `page` is where a reader may go, a `requisite` what this one needs to be shown (frames too). */
  kind: 'page' | 'requisite'
  role: Role
  /** Whether it is written with scheme and host. */
  absolute: boolean
  /** The notations around it, innermost first. */
  context: readonly Notation[]
}

/** Everything that `rewrite` needs to know of a body, in the order of the bytes. */
export type Document = {
  references: Reference[]
  /** Addresses that nobody fetches (form actions, canonical links, citations): made absolute, whatever is saved. */
  fixed: Reference[]
  /** ASCII to put in at a byte offset; where references are named (by index), only if one leads into the archive. */
  insertions: { at: number; text: string; references: readonly number[] | null }[]
  /** How ASCII is written here. */
  encoding: 'latin1' | 'utf16le' | 'utf16be'
}
