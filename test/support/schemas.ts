import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { parse } from 'yaml'

import { goModule } from './tools.ts'

const KUBERNETES = 'k8s.io/kubernetes@v1.34.0'
const KEDA = 'github.com/kedacore/keda/v2@v2.21.0'
const OPERATOR = 'github.com/prometheus-operator/prometheus-operator@v0.85.0'
const CORE = [
  'api__v1',
  'apis__apps__v1',
  'apis__autoscaling__v2',
  'apis__batch__v1',
  'apis__networking.k8s.io__v1',
  'apis__policy__v1',
]

type Schema = Record<string, unknown>
type Kind = { group: string; kind: string; version: string }

/**
 * Writes a JSON schema for each kind of Kubernetes, KEDA and the Prometheus operator, as those publish them, none of
 * which allows an unknown field. Returns why they cannot be had; otherwise nothing.
 */
export async function writeSchemas(directory: string): Promise<string | undefined> {
  const modules = await Promise.all([KUBERNETES, KEDA, OPERATOR].map((version) => goModule(version)))
  const missing = modules.find(({ why }) => why !== undefined)
  if (missing) return missing.why
  const [kubernetes, keda, operator] = modules.map(({ path }) => path ?? '')
  await mkdir(directory, { recursive: true })
  for (const name of CORE)
    await writeCore(directory, `${kubernetes}/api/openapi-spec/v3/${name}_openapi.json`)
  await writeDefinitions(directory, `${keda}/config/crd/bases`, /^keda\.sh_/)
  await writeDefinitions(
    directory,
    `${operator}/example/prometheus-operator-crd`,
    /(podmonitors|prometheusrules)/,
  )
  return undefined
}

async function writeCore(directory: string, path: string) {
  const { components } = JSON.parse(await readFile(path, 'utf8')) as {
    components: { schemas: Record<string, Schema> }
  }
  const definitions = strict(components.schemas)
  for (const [name, schema] of Object.entries(definitions)) {
    const kinds = (schema['x-kubernetes-group-version-kind'] ?? []) as Kind[]
    if (!schema['properties'] || kinds.length !== 1) continue
    const whole = { $ref: `#/components/schemas/${name}`, components: { schemas: definitions } }
    await write(directory, kinds[0]!, whole)
  }
}

type Definition = {
  spec: {
    group: string
    names: { kind: string }
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[]
  }
}

async function writeDefinitions(directory: string, folder: string, wanted: RegExp) {
  for (const file of (await readdir(folder)).filter((name) => wanted.test(name))) {
    const { spec } = parse(await readFile(join(folder, file), 'utf8')) as Definition
    for (const { name: version, schema } of spec.versions) {
      const whole = strict(schema.openAPIV3Schema)
      const { metadata } = whole['properties'] as Record<string, Schema>
      // Any metadata: the schema leaves it open.
      if (metadata) delete metadata['additionalProperties']
      await write(directory, { group: spec.group, kind: spec.names.kind, version }, whole)
    }
  }
}

const write = (directory: string, { group, kind, version }: Kind, schema: Schema) =>
  writeFile(
    join(directory, `${kind}-${group || version}-${version}.json`.toLowerCase()),
    JSON.stringify(schema),
  )

/** Objects have no other fields than those named; OpenAPI's own words are translated. */
function strict<T>(node: T): T {
  if (typeof node !== 'object' || node === null) return node
  if (Array.isArray(node)) return node.map((each: unknown) => strict(each)) as T
  const schema = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, strict(value as unknown)]),
  )
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true
  if (typeof schema['properties'] === 'object' && typeof schema['type'] === 'string' && !open)
    schema['additionalProperties'] ??= false
  if (schema['x-kubernetes-int-or-string'] === true || schema['format'] === 'int-or-string') {
    delete schema['type']
    delete schema['format']
    schema['anyOf'] = [{ type: 'integer' }, { type: 'string' }]
  }
  if (schema['nullable'] === true && typeof schema['type'] === 'string')
    schema['type'] = [schema['type'], 'null']
  return schema as T
}
