import { readFile, writeFile } from 'node:fs/promises'

import { isMap, isPair, isScalar, type Node, parseDocument, visit } from 'yaml'
import { z } from 'zod'

import { settings } from '../../config.ts'

const README = new URL('../../README.md', import.meta.url)
const CHART = new URL('../../charts/seo-suite/', import.meta.url)

type Property = { description?: string; default?: string }

/** The configuration table of the README, from config.ts. */
export function configurationTable(): string {
  const { properties } = z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' })
  const rows = Object.entries(properties as Record<string, Property>).map(
    ([name, property]) =>
      `| \`${name}\` | ${property.default === undefined ? '' : `\`${property.default}\``} | ${property.description} |`,
  )
  return ['| name | default | meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** The README with the generated table in its place. */
export async function renderedReadme(): Promise<{ is: string; shouldBe: string }> {
  const is = await readFile(README, 'utf8')
  const shouldBe = is.replace(
    /(<!-- configuration -->\n)[^]*?(\n<!-- \/configuration -->)/,
    (_, start: string, end: string) => start + configurationTable() + end,
  )
  return { is, shouldBe }
}

/** The table of the chart's values: what each is when it is not given, and what is said of it there. */
export async function valuesTable(): Promise<string> {
  const rows: string[] = []
  const document = parseDocument(await readFile(new URL('values.yaml', CHART), 'utf8'))
  visit(document, {
    Pair(_, pair, path) {
      const parents = path.filter((each) => isPair(each)).map(({ key }) => String(key))
      const value = pair.value as Node
      // The first pair of a map has its remark before the map.
      const map = path.at(-1)
      const first = isMap(map) && map.items[0] === pair
      const remark = isScalar(pair.key) ? (pair.key.commentBefore ?? (first ? map.commentBefore : '')) : ''
      const nested = isMap(value) && value.items.length > 0 && !value.flow
      const shown = nested ? '' : `\`${JSON.stringify(value.toJS(document)).replaceAll('|', '\\|')}\``
      const meaning = (remark ?? '')
        .trim()
        .replaceAll(/\s*\n\s*/g, ' ')
        .replaceAll('|', '\\|')
      if (!nested || meaning)
        rows.push(`| \`${[...parents, String(pair.key)].join('.')}\` | ${shown} | ${meaning} |`)
      return nested ? undefined : visit.SKIP
    },
  })
  return ['| value | default | meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** The chart's README with that table in its place. */
export async function renderedChartReadme(): Promise<{ is: string; shouldBe: string }> {
  const is = await readFile(new URL('README.md', CHART), 'utf8')
  const table = await valuesTable()
  const shouldBe = is.replace(
    /(<!-- values -->\n)[^]*?(<!-- \/values -->)/,
    (_, start: string, end: string) => `${start}${table}\n${end}`,
  )
  return { is, shouldBe }
}

if (import.meta.main) {
  await writeFile(README, (await renderedReadme()).shouldBe)
  await writeFile(new URL('README.md', CHART), (await renderedChartReadme()).shouldBe)
}
