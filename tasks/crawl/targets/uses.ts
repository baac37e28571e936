/** What a page uses an address for, as bits: a page may use one in several ways. Stored, so never renumbered. */
export const LINK = 1
export const IMAGE = 2
export const SCRIPT = 4
export const STYLE = 8
export const ICON = 16
/** `og:image`. */
export const SOCIAL = 32
/** An image without an AVIF or WebP version beside it. */
export const SOLE = 64
/** Loaded with the page, whatever the browser. */
export const EAGER = 128
