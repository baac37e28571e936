import { type Html, html } from '../../html.ts'
import { bars, donut, gauge, sparkline } from './charts.ts'
import { gradeOf } from './grade.ts'
import type { Writer } from './page.ts'

const SEVERITIES = ['major', 'moderate', 'minor'] as const

/** The scan at a glance. */
export function overview({ report, words, formats: { number, date } }: Writer): Html {
  const { crawl, totals, depths, history, deepest } = report
  const grade = crawl.score === null ? null : gradeOf(crawl.score)
  const occurrences = (severity: (typeof SEVERITIES)[number]) =>
    report.findings.reduce((sum, found) => (found.severity === severity ? sum + found.pages : sum), 0)
  const [oldest, newest] = [history[0], history.at(-1)]
  return html`<div class="cards">
    ${card(
      words.score,
      crawl.score === null || grade === null
        ? gauge(null, '', words.noScore)
        : [
            gauge(crawl.score, grade, words.scoreLabel(crawl.score, grade)),
            html`<p class="centred"><strong>${grade}</strong>: ${words.grades[grade]}</p>`,
          ],
    )}
    ${card(
      words.bySeverity,
      bars(
        SEVERITIES.map((tone) => ({ label: words.severities[tone], value: occurrences(tone), tone })),
        number,
      ),
    )}
    ${card(
      words.answers,
      donut(
        [
          { label: '2xx', value: totals.s2, tone: 'good' },
          { label: words.redirects, value: totals.s3, tone: 'minor' },
          { label: '4xx', value: totals.s4, tone: 'moderate' },
          { label: '5xx', value: totals.s5, tone: 'major' },
          { label: words.failures, value: totals.failed, tone: 'none' },
        ],
        words.answersLabel,
        number,
      ),
    )}
    ${card(
      words.depth,
      bars(
        depths.map(({ depth, pages }) => ({
          label: depth === deepest ? words.deepest(depth) : String(depth),
          value: pages,
          tone: 'minor',
        })),
        number,
      ),
    )}
    ${card(
      words.history,
      oldest && newest && history.length > 1
        ? [
            sparkline(
              history,
              words.historyLabel(date(oldest.finished), date(newest.finished), number(history.length)),
            ),
            html`<p>
              ${date(oldest.finished)}: <strong>${oldest.score ?? '–'}</strong><br />${date(newest.finished)}:
              <strong>${newest.score ?? '–'}</strong>
            </p>`,
          ]
        : html`<p class="muted">${words.firstCrawl}</p>`,
    )}
  </div>`
}

const card = (title: string, content: Html | readonly Html[]) =>
  html`<section class="card">
    <h2>${title}</h2>
    ${content}
  </section>`
