/** A page of the web, as an engine would find it. */
export type Page = { url: string; title: string }

export type Ended = 'refused' | 'truncated'

/** What an engine answers, whatever its wire protocol; a string is a text that cites nothing. */
export type Scripted = {
  /** Sentences in their order, with the pages that each cites. */
  parts: { text: string; cites?: Page[] }[]
  /** Looked at and not cited. */
  others?: Page[]
  /** What it searched for; one search when it is not said. */
  queries?: string[]
  ended?: Ended
  /** The tool fails, the answer comes all the same. */
  searchFails?: boolean
  /** Anthropic alone: pauses after its first part, to be told to go on. */
  pauses?: boolean
}

/** What becomes of a call instead of its answer. */
export type Fault =
  | Ended
  | 'bad key'
  | 'no money'
  | 'too many'
  | 'broken'
  | 'overloaded'
  | 'not understood'
  | 'bare'
  | 'malformed'
  | 'huge'
  | 'hang'
  | 'reset'

/** How a vendor tells a refusal. */
export type Refusal = { status: number; body: object; headers?: Record<string, string> }

/** What was asked, as far as the script needs to know. */
export type Asked = {
  prompt: string
  instructions: string
  model: string
  /** Of the object that is wanted; absent for a free text. */
  schema?: object | undefined
  /** The second call for a paused answer. */
  isContinued?: boolean
}

/** One vendor's protocol. */
export type Wire = {
  path: RegExp
  keyOf(headers: Headers): string | null
  /** Why the vendor would not take it; undefined when it would. */
  wrong(body: Json, headers: Headers): string | undefined
  asked(body: Json, path: string): Asked
  answer(scripted: Scripted, asked: Asked, body: Json): object
  refuse(
    fault: Exclude<Fault, Ended | 'bare' | 'malformed' | 'huge' | 'hang' | 'reset'>,
    message: string,
  ): Refusal
}

export type Json = Record<string, unknown>

/** Every answer costs so many. */
export const tokens = { input: 1000, output: 500 }

export const queriesOf = ({ queries }: Scripted, { prompt }: Asked) => queries ?? [prompt.slice(0, 50)]
export const citedBy = ({ parts }: Scripted) => parts.flatMap(({ cites }) => cites ?? [])
export const hostOf = ({ url }: Page) => new URL(url).hostname.replace(/^www\./, '')
/** Some vendors tell no version, some date it. */
export const served = (model: string) => `${model}-2026-11-01`

/** The first field that a vendor does not know. */
export function unknownField(given: unknown, known: string): string | undefined {
  const names = known.split(' ')
  const field = Object.keys((given ?? {}) as Json).find((name) => !names.includes(name))
  return field && `Unknown parameter: '${field}'.`
}

/** Why a schema would not do where every property has to be required, and no other allowed. */
export function looseSchema(schema: unknown): string | undefined {
  const node = (schema ?? {}) as Json
  const properties = (node['properties'] ?? {}) as Json
  const names = Object.keys(properties)
  if (node['type'] === 'object') {
    if (node['additionalProperties'] !== false) return "'additionalProperties' is required to be false."
    const required = (node['required'] ?? []) as string[]
    const loose = names.find((name) => !required.includes(name))
    if (loose) return `'required' has to include every key: missing '${loose}'.`
  }
  const below = [...Object.values(properties), node['items'], ...((node['anyOf'] as unknown[]) ?? [])]
  return below
    .filter((child) => child !== undefined)
    .map(looseSchema)
    .find((why) => why)
}

export const isCountry = (place: unknown) =>
  /^[A-Z]{2}$/.test(String((place as Json | undefined)?.['country']))
