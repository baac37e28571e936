import { expect, test, vi } from 'vitest'

import { childEnvironment, pools, readConfig } from '../../config.ts'

const faults = (environment: Record<string, string>): string[] => {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

test('everything is optional', () => {
  expect(readConfig({})).toMatchObject({
    PORT: 8080,
    METRICS_PORT: 9464,
    DATA_DIR: '.data',
    WORKER_POOLS: [...pools],
    SPIDER_DELAY_SCALE: 1,
    ALLOW_PRIVATE_NETWORKS: false,
    API_ENABLED: true,
    LOG_LEVEL: 'info',
  })
  expect(readConfig({}).DATABASE_URL).toBeUndefined()
})

test('an empty value counts as unset', () => {
  expect(readConfig({ PORT: '', HOST: '  ', DATABASE_URL: '' })).toMatchObject({ PORT: 8080 })
})

test('values are read', () => {
  const read = readConfig({
    PORT: '0',
    DATABASE_URL: 'postgres://a:b@db/seo',
    WORKER_POOLS: 'crawl, render',
    SPIDER_DELAY_SCALE: '0.25',
    SECRET_KEY: 'ab'.repeat(32),
    API_ENABLED: 'OFF',
  })
  expect(read).toMatchObject({
    PORT: 0,
    WORKER_POOLS: ['crawl', 'render'],
    SPIDER_DELAY_SCALE: 0.25,
    API_ENABLED: false,
  })
})

test.each([
  ['true', true],
  ['Yes', true],
  ['on', true],
  ['1', true],
  ['FALSE', false],
  ['no', false],
  ['off', false],
  ['0', false],
])('%s is %s', (word, value) => {
  expect(readConfig({ ALLOW_PRIVATE_NETWORKS: word }).ALLOW_PRIVATE_NETWORKS).toBe(value)
})

test.each([
  ['PORT', '65536'],
  ['PORT', '80.5'],
  ['PORT', 'http'],
  ['METRICS_PORT', '-1'],
  ['PUBLIC_URL', 'seo.example'],
  ['PUBLIC_URL', 'ftp://seo.example'],
  ['DATABASE_URL', 'mysql://localhost/seo'],
  ['DATABASE_POOL_SIZE', '1'],
  ['WORKER_CONCURRENCY', '0'],
  ['WORKER_POOLS', 'crawl,unknown'],
  ['SHUTDOWN_GRACE_SECONDS', '0'],
  ['SPIDER_DELAY_SCALE', '-1'],
  ['SPIDER_CONCURRENCY', '0'],
  ['ALLOW_PRIVATE_NETWORKS', 'maybe'],
  ['RATE_LIMIT_PER_MINUTE', '0'],
  ['DEFAULT_LANGUAGE_CODE', 'I T'],
  ['SECRET_KEY', 'short'],
  ['SMTP_URL', 'http://mail'],
  ['LOG_LEVEL', 'loud'],
])('%s=%s is refused in one line that names it', (name, value) => {
  const lines = faults({ [name]: value })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(new RegExp(`^${name}`))
})

test('all faults are told at once', () => {
  const names = faults({ PORT: 'x', LOG_LEVEL: 'loud', PUBLIC_URL: 'here' }).map(
    (line) => line.split(/[.:]/)[0],
  )
  expect(new Set(names)).toEqual(new Set(['LOG_LEVEL', 'PORT', 'PUBLIC_URL']))
  expect(names).toHaveLength(3)
})

test('a child gets defaults for what is unset, and what is fixed whatever is set', () => {
  const given = { HOME: expect.any(String) as string }
  expect(
    childEnvironment({ HOME: 'default', SEO_TEST_UNSET: 'default' }, { LOG_LEVEL: 'fixed' }),
  ).toMatchObject({
    ...given,
    SEO_TEST_UNSET: 'default',
    LOG_LEVEL: 'fixed',
  })
  expect(childEnvironment({ HOME: 'default' }, {})['HOME']).not.toBe('default')
})

test.each([
  [{ HOST: '127.0.0.1' }, 'http://127.0.0.1:8080', ''],
  [{ HOST: '::1' }, 'http://[::1]:8080', ''],
  [{ HOST: '::', PORT: '80' }, 'http://[::]:80', ''],
  [{ PUBLIC_URL: 'https://seo.example/' }, 'https://seo.example', ''],
  [{ PUBLIC_URL: 'https://example.test/tools/seo/' }, 'https://example.test/tools/seo', '/tools/seo'],
])('%j is %s outside', async (environment, url, path) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  vi.resetModules()
  try {
    const { publicPath, publicUrl } = await import('../../config.ts')
    expect([publicUrl, publicPath]).toEqual([url, path])
  } finally {
    vi.unstubAllEnvs()
    vi.resetModules()
  }
})
