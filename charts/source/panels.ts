// A few words in which a dashboard is said, and the JSON of Grafana that they become.

type Query = readonly [expression: string, legend?: string]
type Unit = 's' | 'bytes' | 'Bps' | 'reqps' | 'ops' | 'percentunit' | 'currencyUSD' | 'short' | 'cps'

export type Panel = {
  title: string
  kind: 'timeseries' | 'stat'
  unit: Unit
  queries: readonly Query[]
  /** Of 24. */
  width: number
  stacked?: boolean
}
export type Row = { title: string; panels: readonly Panel[] }
export type Dashboard = {
  name: string
  title: string
  /** A label of the named metric that can be chosen. */
  choices?: readonly { label: string; metric: string }[]
  rows: readonly Row[]
}

const HEIGHT = { timeseries: 8, stat: 4 } as const
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }

export const graph = (title: string, unit: Unit, ...queries: Query[]): Panel => ({
  title,
  unit,
  queries,
  kind: 'timeseries',
  width: 12,
})
export const stacked = (title: string, unit: Unit, ...queries: Query[]): Panel => ({
  ...graph(title, unit, ...queries),
  stacked: true,
})
export const figure = (title: string, unit: Unit, expression: string): Panel => ({
  title,
  unit,
  queries: [[expression]],
  kind: 'stat',
  width: 4,
})

export const rate = (metric: string, of = '') => `rate(${metric}{${of}}[$__rate_interval])`
export const hourly = (metric: string, of = '') => `increase(${metric}{${of}}[1h])`

/** Percentiles of a histogram over the labels in `by`, as queries. */
export const percentiles = (
  metric: string,
  { of = '', by = '', at = [0.5, 0.99] }: { of?: string; by?: string; at?: number[] } = {},
): Query[] =>
  at.map((part) => [
    `histogram_quantile(${part}, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket{${of}}[$__rate_interval])))`,
    `${by && `{{${by}}} `}p${part * 100}`,
  ])

/** The dashboard as Grafana reads it. In every `{…}` the chosen namespaces are added. */
export function grafana({ name, title, choices = [], rows }: Dashboard) {
  const panels: object[] = []
  let id = 1
  let y = 0
  for (const row of rows) {
    panels.push({
      id: id++,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y: y++, w: 24, h: 1 },
      panels: [],
    })
    let x = 0
    for (const [index, panel] of row.panels.entries()) {
      if (x + panel.width > 24) {
        x = 0
        y += HEIGHT[row.panels[index - 1]!.kind]
      }
      panels.push(panelJson(panel, id++, { x, y, w: panel.width, h: HEIGHT[panel.kind] }))
      x += panel.width
    }
    y += HEIGHT[row.panels.at(-1)!.kind]
  }
  return {
    uid: `seo-suite-${name}`,
    title: `SEO Suite / ${title}`,
    tags: ['seo-suite'],
    schemaVersion: 41,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    timezone: 'browser',
    links: [
      {
        type: 'dashboards',
        tags: ['seo-suite'],
        title: 'SEO Suite',
        asDropdown: true,
        includeVars: true,
        keepTime: true,
      },
    ],
    annotations: { list: [] },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {} },
        choice('namespace', 'seo_metrics_errors_total'),
        ...choices.map(({ label, metric }) => choice(label, metric)),
      ],
    },
    panels,
  }
}

function panelJson({ title, kind, unit, queries, stacked }: Panel, id: number, gridPos: object) {
  const custom = {
    lineWidth: 1,
    fillOpacity: stacked ? 40 : 8,
    showPoints: 'never',
    stacking: { mode: stacked ? 'normal' : 'none' },
  }
  const options =
    kind === 'timeseries'
      ? {
          legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
          tooltip: { mode: 'multi', sort: 'desc' },
        }
      : {
          colorMode: 'none',
          graphMode: 'area',
          reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
        }
  return {
    id,
    type: kind,
    title,
    gridPos,
    datasource: DATASOURCE,
    fieldConfig: {
      defaults: { unit, min: 0, ...(kind === 'timeseries' && { custom }) },
      overrides: [],
    },
    options,
    targets: queries.map(([expression, legend = ''], index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource: DATASOURCE,
      expr: inNamespace(expression),
      legendFormat: legend,
      range: true,
    })),
  }
}

const inNamespace = (expression: string) =>
  expression.replaceAll(
    /(\b(?:seo|process|nodejs)_\w+)\{([^}]*)\}/g,
    (_, metric: string, matchers: string) =>
      `${metric}{namespace=~"$namespace"${matchers && `, ${matchers}`}}`,
  )

function choice(label: string, metric: string) {
  const query = `label_values(${metric}, ${label})`
  return {
    name: label,
    label: label[0]!.toUpperCase() + label.slice(1),
    type: 'query',
    datasource: DATASOURCE,
    definition: query,
    query: { query, refId: label },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
  }
}
