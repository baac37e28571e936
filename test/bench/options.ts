import { parseArgs } from 'node:util'

/** The numbers of a command line, `--name 5`, with what is not given from `defaults`; an unknown name throws. */
export function numbersOf<T extends Record<string, number>>(given: string[], defaults: T): T {
  const known = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' }] as const))
  const { values } = parseArgs({ args: given, options: known })
  const numbers = Object.entries(values).map(([name, text]) => [name, Number(text)] as const)
  return { ...defaults, ...Object.fromEntries(numbers) }
}
