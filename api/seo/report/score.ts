import { explainSite } from '../../../sql/scores.ts'
import { type Html, html, prose } from '../../html.ts'
import type { Writer } from './page.ts'

/** How the scores of the pages and the faults of the whole make the score of the site. */
export function scoreExplained({ report, words, formats: { number, exact } }: Writer): Html | false {
  const { crawl, sums } = report
  if (crawl.status === 'crawling') return false
  const { score, pages, mean, gates } = explainSite(sums)
  const about = new Map(report.findings.map((found) => [found.code, found.about]))
  const steps =
    mean === null || crawl.score === null
      ? html`<p>${words.unjudged}</p>`
      : score === crawl.score
        ? html`<p>${words.mean(number(pages), exact(mean))}</p>
            ${
              gates.length > 0 &&
              html`<ul>
                ${gates.map(({ code, factor }) => html`<li>${words.gate(exact(factor))} <code>${code}</code> <span lang="en">${prose(about.get(code) ?? '')}</span></li>`)}
              </ul>`
            }
            <p>${words.makes(score)}</p>`
        : html`<p>${words.otherFormula}</p>`
  return html`<section>
    <h2>${words.how}</h2>
    ${steps}
  </section>`
}
