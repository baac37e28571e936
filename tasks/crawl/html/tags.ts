/** What building the tree needs to know of an element, as the HTML standard sorts them. */
export type Tag = {
  name: string
  void: boolean
  /** Belongs in the head; any other element opens the body. */
  head: boolean
  /** Stops the search for an element to close, unless it is the one. */
  special: boolean
  /** Stops the search in scope: what is outside stays open. */
  scope: boolean
  /** Separates words. */
  block: boolean
  /** Closes an open paragraph. */
  closesP: boolean
  /** No longer part of HTML. */
  deprecated: boolean
  /** Its content is neither markup nor entities. */
  raw: boolean
  /** Its text is not read on the page. */
  quiet: boolean
  /** Nothing inside exists for a reader. */
  inert: boolean
  /** Navigation and footer: on the page, but not its subject. */
  aside: boolean
  /** In SVG or MathML: ends the foreign content. */
  breaksOut: boolean
  /** Level of a heading, 0 for all else. */
  heading: number
}

const set = (names: string) => new Set(names.split(' '))

const voids = set(
  'area base basefont bgsound br col command embed frame hr img input keygen link meta param source track wbr',
)
const heads = set('base basefont bgsound head html link meta noframes noscript script style template title')
const closers = set(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li dd dt listing main menu nav ol p plaintext pre search section summary table ul xmp',
)
const specials = set(
  'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre script search section select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp',
)
const scopes = set('applet caption html table td th marquee object template foreignobject')
const quiets = set('audio canvas datalist iframe noembed noframes script style textarea title video')
const raws = set('iframe noembed noframes script style')
const deprecateds = set(
  'acronym applet basefont bgsound big blink center dir font isindex keygen listing marquee multicol nextid nobr plaintext spacer strike tt xmp',
)
const blocks = set(
  'body br option td th tr caption tbody thead tfoot button select textarea img iframe option optgroup label legend input',
)
const breakouts = set(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
)

function describe(name: string): Tag {
  return {
    name,
    void: voids.has(name),
    head: heads.has(name),
    special: specials.has(name),
    scope: scopes.has(name),
    block: closers.has(name) || blocks.has(name),
    closesP: closers.has(name),
    deprecated: deprecateds.has(name),
    raw: raws.has(name),
    quiet: quiets.has(name),
    inert: name === 'noscript' || name === 'template',
    aside: name === 'nav' || name === 'footer',
    breaksOut: breakouts.has(name),
    heading: /^h[1-6]$/.test(name) ? Number(name[1]) : 0,
  }
}

const known = new Map<string, Tag>()
for (const names of [
  voids,
  heads,
  closers,
  specials,
  scopes,
  quiets,
  blocks,
  breakouts,
  deprecateds,
  set('a svg math picture label abbr time span'),
])
  for (const name of names) known.set(name, describe(name))

/** Elements nobody has heard of are described anew for each page, so that pages cannot fill the memory. */
export const tag = (name: string): Tag => known.get(name) ?? describe(name)
