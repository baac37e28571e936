import type { Attributes } from './attributes.ts'

const HIDES =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])|text-indent\s*:\s*-\d{3,}|(?:left|right|top|bottom|margin-left|margin-top)\s*:\s*-\d{4,}px)/i
const COLOUR = /(?:^|[;\s])color\s*:\s*([^;!]+)/i
const GROUND = /(?:^|[;\s])background(?:-color)?\s*:\s*([^;!]+)/i
/** Parts of a page that start hidden and are opened by readers, or are there for some devices alone. */
const WIDGET =
  /accordion|alert|banner|carousel|collaps|consent|cookie|dialog|drawer|dropdown|expand|gdpr|hamburger|lightbox|menu|mobile|desktop|modal|nav|notif|offcanvas|overlay|panel|popover|popup|print|screen-reader|slide|spinner|sr-only|swiper|tab|toast|toggle|tooltip|visually-hidden|more/i

/** Whether the style of an element hides its text from readers for no reason that readers have. */
export function hides(attributes: Attributes): boolean {
  const style = attributes.get('style')
  if (style === null || !(HIDES.test(style) || isInvisible(style))) return false
  if (attributes.hasPrefix('aria-') || attributes.has('role')) return false
  return !WIDGET.test(`${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`)
}

/** Text in the colour of its ground. */
function isInvisible(style: string): boolean {
  const colour = COLOUR.exec(style)?.[1]
  const ground = colour && GROUND.exec(style)?.[1]
  return ground !== undefined && ground !== '' && plain(colour ?? '') === plain(ground)
}

/** `#FFF`, `white` and `#ffffff` are one colour. */
function plain(colour: string): string {
  const name = colour.trim().toLowerCase()
  if (name === 'white') return '#ffffff'
  if (name === 'black') return '#000000'
  return /^#[0-9a-f]{3}$/.test(name) ? name.replace(/[0-9a-f]/g, '$&$&') : name
}
