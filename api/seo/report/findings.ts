import { publicUrl } from '../../../config.ts'
import { type Html, html, prose } from '../../html.ts'
import { address } from './address.ts'
import type { Writer } from './page.ts'

/** Findings told at length; the others are rows of a table. */
const DETAILED = 20

/** What was found, the dearest first. */
export function findings(writer: Writer): Html {
  const { words } = writer
  const [first, rest] = [writer.findings.slice(0, DETAILED), writer.findings.slice(DETAILED)]
  return html`<section>
      <h2>${words.first}</h2>
      ${first.length === 0 ? html`<p>${words.none}</p>` : html`<p class="muted">${words.order}</p>`}
      <ol class="findings">
        ${first.map((found) => detailed(found, writer))}
      </ol>
    </section>
    ${
      rest.length > 0 &&
      html`<section>
        <h2>${words.rest}</h2>
        ${table(rest, writer)}
      </section>`
    }`
}

function detailed(found: Writer['findings'][number], { scanId, words, formats: { number } }: Writer): Html {
  const { code, severity, about, fix, lang, points, pages, examples } = found
  const more = pages - examples.length
  return html`<li class="finding ${severity}">
    <h3 lang="${lang}">${about ? prose(about) : code}</h3>
    <p class="muted">
      <span class="badge ${severity}">${words.severities[severity]}</span> ${codeLink(code)} ·
      ${words.pages(number(pages))} · ${points > 0 ? words.points(points) : words.informs}
    </p>
    ${fix && html`<p><strong>${words.fix}</strong> <span lang="${lang}">${prose(fix)}</span></p>`}
    <ul class="examples">
      ${examples.map((url) => html`<li>${address(url)}</li>`)}${more > 0 && html`<li>${words.moreAt(number(more))} <code>GET /spider/${scanId}/issues/${code}</code></li>`}
    </ul>
  </li>`
}

function table(rest: Writer['findings'], { words, formats: { number } }: Writer): Html {
  const rows = rest.map(
    ({ code, severity, about, lang, pages }) =>
      html`<tr>
        <th scope="row">${codeLink(code)}</th>
        <td><span class="badge ${severity}">${words.severities[severity]}</span></td>
        <td lang="${lang}">${prose(about)}</td>
        <td class="number" data-label="${words.affected}">${number(pages)}</td>
      </tr>`,
  )
  return html`<table class="wide">
    <thead>
      <tr>
        <th scope="col">${words.code}</th>
        <th scope="col">${words.severity}</th>
        <th scope="col">${words.meaning}</th>
        <th scope="col" class="number">${words.affected}</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`
}

const codeLink = (code: string) => html`<a href="${publicUrl}/docs/checks#${code}"><code>${code}</code></a>`
