import { createHash } from 'node:crypto'

import { Html, html } from './html.ts'
import { stylesheet } from './stylesheet.ts'

const style = new Html(`<style>${stylesheet}</style>`)
const hash = createHash('sha256').update(stylesheet).digest('base64')
/** No script, no address but our own style sheet: nothing that a crawled site wrote can do anything. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${hash}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** Headers of a page made by `document`. */
export const documentHeaders = {
  'Content-Security-Policy': `${policy}; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
}

/** A whole page that makes no request and runs no script; saved as a file it is as strict as when it is served. */
export function document({ lang, title, body }: { lang: string; title: string; body: Html }): string {
  return html`<!doctype html>
    <html lang="${lang}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${style}
      </head>
      <body>
        ${body}
      </body>
    </html> `.text
}
