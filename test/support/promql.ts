import { parser } from '@prometheus-io/lezer-promql'

/** A metric that a query names, and the labels that it is asked for by. */
export type Selected = { metric: string; labels: string[] }

/** What a PromQL query reads, with Grafana's variables filled in. Throws when it is no PromQL. */
export function selected(query: string): Selected[] {
  const text = query.replaceAll('$__rate_interval', '5m').replaceAll(/\$\{?\w+\}?/g, '.*')
  const found: Selected[] = []
  parser.parse(text).iterate({
    enter({ name, from, to, type }) {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${text}`)
      const word = text.slice(from, to)
      if (name === 'VectorSelector') found.push({ metric: '', labels: [] })
      else if (name === 'Identifier') found.at(-1)!.metric ||= word
      else if (name === 'LabelName' && isMatcher(text, to)) found.at(-1)?.labels.push(word)
    },
  })
  return found
}

/** Not one of those that results are grouped by. */
const isMatcher = (text: string, end: number) => /^\s*(=|!=|=~|!~)/.test(text.slice(end))

/** The metrics of an exposition: their series' names, and the labels of those that have series. */
export function exposed(text: string): Map<string, Set<string>> {
  const metrics = new Map<string, Set<string>>()
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
      metrics.set(name + suffix, new Set())
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)\{(.*)\} \S+$/gm))
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) metrics.get(name)?.add(label)
  return metrics
}
