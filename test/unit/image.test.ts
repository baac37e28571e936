import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

import { Ajv } from 'ajv'
import { validate } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

import { settings } from '../../config.ts'
import { goModule } from '../support/tools.ts'

const COMPOSE_SPEC = 'github.com/compose-spec/compose-go/v2@v2.9.1'
const DOWNLOAD_MS = 120_000
/** What is started in an image. */
const programs = [
  'api/main.ts',
  'worker/main.ts',
  'worker/clock.ts',
  'sql/migrate.ts',
  'admin.ts',
  'telemetry.ts',
]

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFile(join(root, path), 'utf8')

describe('the Dockerfile', () => {
  test('has no fault that a linter finds', async () => {
    expect(validate(await read('Dockerfile'))).toEqual([])
  })

  test('makes images that run without root, with and without a browser', async () => {
    const stages = (await read('Dockerfile')).split(/^FROM /m).slice(1)
    const [, base = '', browser = '', slim = ''] = stages
    expect(stages.map((stage) => /^\S+ AS (\w+)/.exec(stage)?.[1])).toEqual([
      'packages',
      'base',
      'browser',
      'slim',
    ])
    for (const stage of [base, browser]) expect(stage.match(/^USER .*$/gm)?.at(-1)).toBe('USER 10001:10001')
    expect(base).not.toContain('chromium')
    expect(slim).not.toContain('USER')
  })

  test('brings every file that its programs load, and the build may read them', async () => {
    const copied = [...(await read('Dockerfile')).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, paths = '']) => paths.split(' '),
    )
    const allowed = (await read('.dockerignore')).split('\n')
    const needed = await loadedBy(programs)
    expect(needed.size).toBeGreaterThan(200)
    for (const path of needed) {
      const top = path.split('/')[0]!
      expect(copied, `of ${path}`).toContain(top)
      expect(allowed.includes(`!${top}`) || (top === path && allowed.includes('!*.ts')), `of ${path}`).toBe(
        true,
      )
      expect(allowed, `of ${path}`).not.toContain(top)
    }
    for (const path of copied) expect(existsSync(join(root, path)), `of ${path}`).toBe(true)
  })
})

/** Our files that these import, directly or not. */
async function loadedBy(paths: string[], found = new Set<string>()): Promise<Set<string>> {
  for (const path of paths) {
    if (found.has(path)) continue
    found.add(path)
    if (!path.endsWith('.ts')) continue
    const imports = (await read(path)).matchAll(/(?:from|import\(|import) '(\.{1,2}\/[^']+)'/g)
    const next = [...imports].map(([, to = '']) => relative(root, resolve(root, dirname(path), to)))
    await loadedBy(next, found)
  }
  return found
}

type Composed = {
  services: Record<
    string,
    {
      image: string
      build?: { target: string }
      command?: string[] | string
      environment?: Record<string, string>
      depends_on?: object | string[]
      configs?: { source: string }[]
      ports?: string[]
    }
  >
  configs: Record<string, { file?: string; content?: string }>
}

describe('compose.yaml', () => {
  const compose = async () => parse(await read('compose.yaml'), { merge: true }) as Composed

  test('is as Compose wants it', { timeout: DOWNLOAD_MS }, async (context) => {
    const { path, why } = await goModule(COMPOSE_SPEC)
    if (path === undefined) return context.skip(why)
    const schema = JSON.parse(await readFile(`${path}/schema/compose-spec.json`, 'utf8')) as {
      $schema?: string
    }
    delete schema.$schema
    const check = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema)
    check(await compose())
    expect(check.errors).toBeNull()
    expect(check({ services: { api: { imag: 'x' } } })).toBe(false)
  })

  test('names only what is there', async () => {
    const { services, configs } = await compose()
    const stages = new Set([...(await read('Dockerfile')).matchAll(/ AS (\w+)$/gm)].map(([, name]) => name))
    const all = Object.values(services)
    expect([...stages]).toEqual(expect.arrayContaining(all.flatMap(({ build }) => build?.target ?? [])))
    expect(Object.keys(configs)).toEqual(
      expect.arrayContaining(all.flatMap(({ configs: used = [] }) => used.map(({ source }) => source))),
    )
    const awaited = all.flatMap(({ depends_on = [] }) =>
      Array.isArray(depends_on) ? depends_on : Object.keys(depends_on),
    )
    expect(Object.keys(services)).toEqual(expect.arrayContaining(awaited))
    const words = all.flatMap(({ command = [] }) => [command].flat())
    const files = Object.values(configs).flatMap(({ file }) => file ?? [])
    const paths = [...words.filter((word) => /^[\w/.]+\.ts$/.test(word)), ...files]
    expect(paths.length).toBeGreaterThan(4)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
    for (const { content } of Object.values(configs))
      expect(parse(content ?? '{}'), `${content}`).toBeTruthy()
  })

  test('tells processes only what they understand, each under a role of its own', async () => {
    const { services } = await compose()
    const known = new Set([...Object.keys(settings.shape), 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
    const ours = Object.entries(services).filter(([, { image }]) => image.startsWith('seo-suite:'))
    expect(ours.map(([name]) => name)).toEqual(['bucket', 'migrate', 'api', 'worker', 'clock'])
    for (const [name, { environment = {} }] of ours)
      expect(
        Object.keys(environment).filter((key) => !known.has(key)),
        `of ${name}`,
      ).toEqual([])
    const roles = ours.flatMap(
      ([, { environment }]) => /seo_\w+/.exec(environment?.['DATABASE_URL'] ?? '') ?? [],
    )
    expect(roles.map(String)).toEqual(['seo_owner', 'seo_api', 'seo_worker', 'seo_worker'])
  })

  test('opens ports to this machine alone', async () => {
    for (const { ports = [] } of Object.values((await compose()).services))
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  })
})
