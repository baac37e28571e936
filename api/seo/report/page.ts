import { publicUrl } from '../../../config.ts'
import type { Finding, Report } from '../../../sql/report.ts'
import { document } from '../../document.ts'
import { type Html, html } from '../../html.ts'
import type { Locale } from '../../titles.ts'
import { worded } from '../wording.ts'
import { overview } from './cards.ts'
import { crawlFacts, extremes } from './facts.ts'
import { findings } from './findings.ts'
import { type Formats, formatsOf } from './formats.ts'
import { scoreExplained } from './score.ts'
import { type Words, words } from './words.ts'

/** What every part of a report is written with. */
export type Writer = {
  report: Report
  findings: readonly (Finding & { lang: Locale })[]
  scanId: number
  words: Words
  formats: Formats
}

/** A scan as one page for people: it needs nothing else, runs no script, and its size is bounded. */
export function reportPage(report: Report, scanId: number, locale: Locale): string {
  const told = report.findings.map((found) => worded(found, locale))
  const writer = { report, findings: told, scanId, words: words[locale], formats: formatsOf(locale) }
  const { crawl, totals } = report
  const body = html`<header>
      <p class="muted">${writer.words.report}${crawl.name && html` · <bdi>${crawl.name}</bdi>`}</p>
      <h1><bdi>${crawl.host}</bdi></h1>
      ${crawl.finished !== null && html`<p class="muted">${writer.words.crawledAt(writer.formats.moment(crawl.finished))}</p>`}
    </header>
    <main>${notice(writer)} ${totals.pages > 0 && sections(writer)} ${crawlFacts(writer)}</main>
    <footer>
      <p><a href="${publicUrl}/docs/checks">${writer.words.formula}</a></p>
    </footer>`
  return document({ lang: locale, title: writer.words.title(crawl.host), body })
}

/** How the crawl stands, if it is not simply completed. */
function notice({ report: { crawl, totals }, words }: Writer): Html | false {
  const lines = [
    crawl.status === 'crawling' && words.running,
    crawl.status === 'crawling' && totals.pages === 0 && words.nothing,
    crawl.status === 'failed' && words.failed,
    crawl.status === 'completed' && crawl.newest_status === 'failed' && words.failedSince,
    crawl.status !== 'crawling' && crawl.newest_status === 'crawling' && words.rescan,
  ].filter((line) => line !== false)
  if (lines.length === 0) return false
  const failure = crawl.failure ?? crawl.newest_failure
  return html`<p class="notice">${lines.join(' ')}${failure && html` <bdi lang="en">${failure}</bdi>`}</p>`
}

const sections = (writer: Writer) => [
  overview(writer),
  scoreExplained(writer),
  findings(writer),
  extremes(writer),
]
