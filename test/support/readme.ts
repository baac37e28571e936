import { readFile, writeFile } from 'node:fs/promises'

import { z } from 'zod'

import { settings } from '../../config.ts'

const README = new URL('../../README.md', import.meta.url)

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

if (import.meta.main) await writeFile(README, (await renderedReadme()).shouldBe)
