import { spawnSync } from 'node:child_process'

import { expect, test } from 'vitest'

import { childEnvironment, config } from '../../config.ts'
import { isSigned, seal, sign, unseal } from '../../sql/secrets.ts'

const place = 'table.column:1'

test.each(['', 'whsec_abc', 'città 😀', 'x'.repeat(10_000)])('%j comes out as it went in', (text) => {
  const sealed = seal(text, place)
  expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+$/)
  expect(text && sealed.includes(text)).toBeFalsy()
  expect(unseal(sealed, place)).toBe(text)
})

test('no two seals are alike', () => {
  expect(seal('same', place)).not.toBe(seal('same', place))
})

test('a seal opens in its place alone', () => {
  expect(() => unseal(seal('x', place), 'table.column:2')).toThrow(/authenticate/)
})

test('a seal that was touched does not open', () => {
  const [version, id, body] = seal('some text', place).split('.') as [string, string, string]
  const bytes = Buffer.from(body, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const touched = Buffer.from(bytes)
    touched[at]! ^= 1
    expect(() => unseal(`${version}.${id}.${touched.toString('base64url')}`, place)).toThrow(/authenticate/)
  }
  for (const cut of ['', 'AAAA', body.slice(0, -4)])
    expect(() => unseal(`${version}.${id}.${cut}`, place)).toThrow(Error)
})

/** What a process with another key says. */
function run(key: string, code: string): string {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', `import { seal, sign, unseal } from './sql/secrets.ts'; ${code}`],
    {
      cwd: new URL('../..', import.meta.url),
      env: childEnvironment({}, { SECRET_KEY: key }),
      encoding: 'utf8',
    },
  )
  return stdout + stderr
}

test('another key is named, in hex or in base64 it is the same', () => {
  const key = Buffer.alloc(32, 5)
  const sealed = run(key.toString('hex'), `process.stdout.write(seal('word', 'p'))`)
  expect(run(key.toString('base64'), `process.stdout.write(unseal('${sealed}', 'p'))`)).toBe('word')
  expect(() => unseal(sealed, 'p')).toThrow(/stored under another SECRET_KEY \([0-9a-f]{8}\)/)
})

test('what is signed tells texts apart', () => {
  expect(sign('a')).toMatch(/^[\w-]{43}$/)
  expect(sign('a')).toBe(sign('a'))
  expect(sign('a')).not.toBe(sign('b'))
  expect(isSigned('a', sign('a'))).toBe(true)
  for (const word of [sign('b'), '', 'é'.repeat(43)]) expect(isSigned('a', word)).toBe(false)
})

test('the key before still opens and still vouches, but seals nothing', () => {
  const old = Buffer.alloc(32, 5).toString('hex')
  const [sealed = '', word = ''] = run(
    old,
    `process.stdout.write(seal('word', 'p') + ' ' + sign('a'))`,
  ).split(' ')
  expect(isSigned('a', word)).toBe(false)
  config.SECRET_KEY_OLD = old
  expect(unseal(sealed, 'p')).toBe('word')
  expect(isSigned('a', word)).toBe(true)
  expect(isSigned('a', sign('a'))).toBe(true)
  const again = seal('word', 'p')
  config.SECRET_KEY_OLD = undefined
  expect(unseal(again, 'p')).toBe('word')
})
