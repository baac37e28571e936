import type { Extreme } from '../../../sql/report.ts'
import { type Html, html } from '../../html.ts'
import { address, cut } from './address.ts'
import type { Writer } from './page.ts'

/** The slowest and the heaviest pages. */
export function extremes(writer: Writer): Html {
  const { report, words } = writer
  return html`${table(words.slowest, report.slowest, writer)}${table(words.heaviest, report.heaviest, writer)}`
}

function table(title: string, pages: readonly Extreme[], { words, formats }: Writer): Html | false {
  if (pages.length === 0) return false
  const rows = pages.map(
    ({ url, title, bytes, ttfb_ms, total_ms }) =>
      html`<tr>
        <th scope="row">${title && html`<bdi>${cut(title)}</bdi><br />`}${address(url)}</th>
        <td class="number" data-label="${words.firstByte}">${formats.milliseconds(ttfb_ms)}</td>
        <td class="number" data-label="${words.total}">${formats.milliseconds(total_ms)}</td>
        <td class="number" data-label="${words.size}">${formats.bytes(bytes)}</td>
      </tr>`,
  )
  return html`<section>
    <h2>${title}</h2>
    <table class="wide">
      <thead>
        <tr>
          <th scope="col">${words.page}</th>
          <th scope="col" class="number">${words.firstByte}</th>
          <th scope="col" class="number">${words.total}</th>
          <th scope="col" class="number">${words.size}</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </section>`
}

/** What was crawled, how, and when. */
export function crawlFacts({ report: { crawl, totals }, words, formats }: Writer): Html {
  const { number, moment, duration } = formats
  const { started, finished, robots_status: robots } = crawl
  const options = [
    crawl.include_subdomains && words.subdomains,
    crawl.respect_robots && words.robotsObeyed,
    crawl.use_sitemap && words.sitemapUsed,
    crawl.excludes && words.excludes,
  ].filter((option) => option !== false)
  const facts: [string, Html | string | false][] = [
    [words.start, address(crawl.start_url)],
    [words.began, started !== null && moment(started)],
    [words.ended, finished !== null && moment(finished)],
    [words.duration, started !== null && finished !== null && duration(finished - started)],
    [words.found, words.foundValue(number(totals.pages), number(totals.indexable), number(totals.documents))],
    [words.bounds, words.boundsValue(number(crawl.max_pages), number(crawl.max_depth))],
    [words.options, options.join(', ') || words.noOptions],
    [words.scripts, crawl.rendered ? words.scriptsRun : words.scriptsIdle],
    ['robots.txt', robots !== null && words.robots[robotsState(robots)]],
    [words.sitemap, crawl.sitemap_urls > 0 && number(crawl.sitemap_urls)],
  ]
  const shown = facts.filter(([, value]) => value !== false)
  return html`<section>
    <h2>${words.facts}</h2>
    <dl class="facts">
      ${shown.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
  </section>`
}

function robotsState(status: number) {
  if (status >= 200 && status < 300) return 'read'
  return status >= 400 && status < 500 ? 'none' : 'unreachable'
}
