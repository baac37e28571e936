import type { z } from 'zod'

import { publicPath } from '../config.ts'
import type { Check, Scope } from '../sql/checks.ts'
import { gates, prices, startGates } from '../sql/scores.ts'
import { document } from './document.ts'
import { html, type Html, prose } from './html.ts'
import { grades } from './seo/report/grade.ts'

const judged: Record<Scope, string> = {
  response: 'any answer',
  page: 'HTML pages',
  indexable: 'indexable pages',
  start: 'the start page',
  site: 'all pages together',
  target: 'what pages use',
  probe: 'the host',
}

/** Every check in words, and how their findings make a score; it is read off what the workers published. */
export function checksPage(checks: readonly z.output<typeof Check>[]): string {
  const body = html`<header>
      <p class="muted"><a href="${publicPath}/docs">API documentation</a></p>
      <h1>Checks and scores</h1>
    </header>
    <main>
      <h2>Scores</h2>
      ${formula()}
      <h2>Checks</h2>
      ${checks.length === 0 ? html`<p class="notice">No worker has run on this database yet: the first one that starts publishes its checks here.</p>` : table(checks)}
    </main>
    <footer></footer>`
  return document({ lang: 'en', title: 'Checks and scores', body })
}

function formula(): Html {
  const severities = Object.entries(prices).map(
    ([severity, { each, most }]) =>
      html`<tr>
        <th scope="row"><span class="badge ${severity}">${severity}</span></th>
        <td class="number">${each}</td>
        <td class="number">${most}</td>
      </tr>`,
  )
  const factors = Object.entries({ ...gates, ...startGates }).map(
    ([code, factor]) =>
      html`<tr>
        <th scope="row">
          <a href="#${code}"><code>${code}</code></a>
        </th>
        <td class="number">${factor}</td>
      </tr>`,
  )
  return html`<p>
      A page starts at 100 and loses points for each of its issues, but never more for all issues of one
      severity than the most of that severity. A page that fails, answers 4xx or 5xx, or turns the crawler
      away has 0; redirects and files have no score. An issue that only informs costs nothing.
      <code>GET /spider/{id}/pages/{page}</code> shows the sum for one page.
    </p>
    <table class="bars">
      <thead>
        <tr>
          <th scope="col">severity</th>
          <th scope="col" class="number">points</th>
          <th scope="col" class="number">at most</th>
        </tr>
      </thead>
      <tbody>
        ${severities}
      </tbody>
    </table>
    <p>
      The score of a site is the mean over its pages that may be indexed and its broken ones, multiplied by a
      factor for each fault of the whole that is found:
    </p>
    <table class="bars">
      <thead>
        <tr>
          <th scope="col">fault</th>
          <th scope="col" class="number">factor</th>
        </tr>
      </thead>
      <tbody>
        ${factors}
      </tbody>
    </table>
    <p>Grades: ${grades.map(([grade, least], at) => `${at > 0 ? ', ' : ''}${grade} from ${least}`)}.</p>`
}

function table(checks: readonly z.output<typeof Check>[]): Html {
  const rows = checks.map(
    ({ code, severity, about, fix, points, scope }) =>
      html`<tr id="${code}">
        <th scope="row">
          <a href="#${code}"><code>${code}</code></a>
        </th>
        <td>
          <span class="badge ${severity}">${severity}</span
          >${points === 0 && html`<br /><span class="muted">only informs</span>`}
        </td>
        <td>${prose(about)}</td>
        <td>${prose(fix)}</td>
        <td>${judged[scope]}</td>
      </tr>`,
  )
  return html`<p>
      ${checks.length} checks, by code. Each stands at its own address:
      <code>${publicPath}/docs/checks#title_missing</code>. Answers and pages are judged as they come; all
      pages together, what they use (links to other sites, images, scripts, style sheets) and the host
      (robots.txt, sitemaps, certificate, agents) when the crawl ends. What is found of the host stands at the
      start page.
    </p>
    <table class="wide">
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Severity</th>
          <th scope="col">Meaning</th>
          <th scope="col">How to fix it</th>
          <th scope="col">Judges</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>`
}
