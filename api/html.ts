/** HTML that may be sent as it stands. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What may stand in a template; false, null and undefined are nothing. */
export type Part = Html | string | number | false | null | undefined | readonly Part[]

/** A piece of HTML: whatever is put into the template is escaped, for text and quoted attributes, unless it is Html itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(written)))
}

function written(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part))
  return part instanceof Html ? part.text : part.map(written).join('')
}

const references: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (each) => references[each] ?? each)

/** Text of ours with code spans in back quotes. */
export function prose(text: string): Html {
  return html`${text.split('`').map((span, at) => (at % 2 ? html`<code>${span}</code>` : span))}`
}
