import type { Past } from '../../../sql/report.ts'
import { type Html, html } from '../../html.ts'

/** Colours of the style sheet. */
export type Tone = 'major' | 'moderate' | 'minor' | 'good' | 'none'
type Slice = { label: string; value: number; tone: Tone }

/** Radius of a circle whose circumference is 100, so that lengths are percentages. */
const RADIUS = 15.9155
const SPARK = { width: 300, height: 60, margin: 4 }

const ring = html`<circle class="track" cx="20" cy="20" r="${RADIUS}" stroke-width="4" />`

const arc = (tone: Tone, from: number, share: number) =>
  html`<circle
    class="arc ${tone}"
    cx="20"
    cy="20"
    r="${RADIUS}"
    stroke-width="4"
    stroke-dasharray="${plain(share)} ${plain(100 - share)}"
    stroke-dashoffset="${plain(-from)}"
    transform="rotate(-90 20 20)"
  />`

/** A ring filled as far as the score, with it and its grade inside; null is an empty ring. */
export function gauge(score: number | null, grade: string, label: string): Html {
  const tone = score === null ? 'none' : score >= 80 ? 'good' : score >= 60 ? 'moderate' : 'major'
  return html`<svg class="chart" viewBox="0 0 40 40" role="img" aria-label="${label}">
    ${ring}${score ? arc(tone, 0, score) : null}
    <text x="20" y="21.5" font-size="10" font-weight="700">${score ?? '–'}</text>
    <text x="20" y="27.5" font-size="4.5">${grade}</text>
  </svg>`
}

/** Shares of a whole, with a legend that says the same in words. */
export function donut(slices: readonly Slice[], label: string, number: (value: number) => string): Html {
  const total = slices.reduce((sum, { value }) => sum + value, 0)
  let from = 0
  const arcs = slices.map(({ value, tone }) => {
    const share = total === 0 ? 0 : (value / total) * 100
    from += share
    return share > 0 && arc(tone, from - share, share)
  })
  const legend = slices.map(
    ({ label, value, tone }) =>
      html`<tr>
        <th scope="row">
          <svg class="swatch ${tone}" viewBox="0 0 1 1" aria-hidden="true">
            <rect width="1" height="1" fill="currentColor" /></svg
          >${label}
        </th>
        <td class="number">${number(value)}</td>
      </tr>`,
  )
  return html`<svg class="chart" viewBox="0 0 40 40" role="img" aria-label="${label}">
      ${ring}${arcs}
      <text x="20" y="22" font-size="7" font-weight="700">${number(total)}</text>
    </svg>
    <table class="bars">
      <tbody>
        ${legend}
      </tbody>
    </table>`
}

/** A row for each value, its bar as long as its share of the largest. */
export function bars(rows: readonly Slice[], number: (value: number) => string): Html {
  const most = Math.max(1, ...rows.map(({ value }) => value))
  const lines = rows.map(
    ({ label, value, tone }) =>
      html`<tr>
        <th scope="row">${label}</th>
        <td class="bar">
          <svg class="${tone}" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <rect width="${plain((value / most) * 100)}" height="10" />
          </svg>
        </td>
        <td class="number">${number(value)}</td>
      </tr>`,
  )
  return html`<table class="bars">
    <tbody>
      ${lines}
    </tbody>
  </table>`
}

/** Scores over time; where the formula changed the line breaks, because they do not compare. */
export function sparkline(past: readonly Past[], label: string): Html {
  const { width, height, margin } = SPARK
  const step = (width - 2 * margin) / Math.max(1, past.length - 1)
  const points = past.flatMap(({ score, version }, at) =>
    score === null
      ? []
      : [{ version, x: margin + at * step, y: margin + (1 - score / 100) * (height - 2 * margin) }],
  )
  const lines = Map.groupBy(points, ({ version }) => version)
  const last = points.at(-1)
  return html`<svg
    class="chart line minor"
    viewBox="0 0 ${width} ${height}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    ${[...lines.values()].map((line) => html`<polyline class="path" points="${line.map(({ x, y }) => `${plain(x)},${plain(y)}`).join(' ')}" />`)}${last && html`<path class="dot" d="M${plain(last.x)} ${plain(last.y)}h0" />`}
  </svg>`
}

const plain = (value: number) => Number(value.toFixed(2))
