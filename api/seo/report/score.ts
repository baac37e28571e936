import { explainSite } from '../../../sql/scores.ts'
import { type Html, html, prose } from '../../html.ts'
import type { Writer } from './page.ts'

/** How the scores of the pages and the faults of the whole make the score of the site. */
export function scoreExplained({
  report,
  findings,
  words,
  formats: { number, exact },
}: Writer): Html | false {
  const { crawl, sums } = report
  if (crawl.status === 'crawling') return false
  const { score, pages, mean, gates } = explainSite(sums)
  const told = new Map(
    findings.map(({ code, about, lang }) => [code, html`<span lang="${lang}">${prose(about)}</span>`]),
  )
  const steps =
    mean === null || crawl.score === null
      ? html`<p>${words.unjudged}</p>`
      : score === crawl.score
        ? html`<p>${words.mean(number(pages), exact(mean))}</p>
            ${
              gates.length > 0 &&
              html`<ul>
                ${gates.map(({ code, factor }) => html`<li>${words.gate(exact(factor))} <code>${code}</code> ${told.get(code)}</li>`)}
              </ul>`
            }
            <p>${words.makes(score)}</p>`
        : html`<p>${words.otherFormula}</p>`
  return html`<section>
    <h2>${words.how}</h2>
    ${steps}
  </section>`
}
