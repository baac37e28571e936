import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { parse, parseAllDocuments } from 'yaml'

import { output } from './tools.ts'

export const chart = fileURLToPath(new URL('../../charts/seo-suite', import.meta.url))
export const examples = ['small', 'medium', 'large'] as const
const KUBERNETES = '1.34.0'

export type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  spec: Record<string, unknown>
  data?: Record<string, string>
  stringData?: Record<string, string>
}

/** What `helm template` or `helm lint` says, with the values of an example and more. */
export const run = (helm: string, verb: 'template' | 'lint', example: string, sets: string[] = []) =>
  output(helm, [
    ...(verb === 'template' ? ['template', 'seo', chart, '--namespace', 'seo'] : ['lint', '--strict', chart]),
    '--kube-version',
    KUBERNETES,
    '--values',
    `${chart}/examples/${example}.yaml`,
    ...sets.flatMap((set) => ['--set-json', set]),
  ])

/** The objects that an example is rendered to. */
export async function render(helm: string, example: string, sets: string[] = []): Promise<Manifest[]> {
  const { code, stdout, stderr } = await run(helm, 'template', example, sets)
  if (code !== 0) throw new Error(stderr)
  return parseAll(stdout)
}

export function parseAll(text: string): Manifest[] {
  return parseAllDocuments(text, { uniqueKeys: true }).flatMap((document) => {
    if (document.errors?.length) throw document.errors[0]
    const parsed = document.toJS() as Manifest | null
    return parsed ? [parsed] : []
  })
}

/** An alerting rule as its file has it. */
export type Rule = { alert: string; expr: string; for?: string; annotations: Record<string, string> }
export async function alertGroups(): Promise<{ name: string; rules: Rule[] }[]> {
  const text = await readFile(`${chart}/files/alerts.yaml`, 'utf8')
  return (parse(text) as { groups: { name: string; rules: Rule[] }[] }).groups
}
