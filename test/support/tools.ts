import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { env as inherited, getuid } from 'node:process'
import { promisify } from 'node:util'

const HELM = 'helm.sh/helm/v3/cmd/helm@v3.22.0'
const KUBECONFORM = 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0'
const BUILD_MS = 900_000
const DOWNLOAD_MS = 120_000

/** What was built or unpacked once serves every copy of the repository. */
const shelf = join(inherited['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'seo-suite')
const command = promisify(execFile)

/** A program of others that checks ours: where it is, or why it is not to be had here. */
export type Tool = { path: string; why?: undefined } | { path?: undefined; why: string }

/** Helm: the machine's, or built as a Go module, which takes minutes once. */
export const helm = () => onPath('helm').then((found) => found ?? goProgram('helm', HELM))
export const kubeconform = () =>
  onPath('kubeconform').then((found) => found ?? goProgram('kubeconform', KUBECONFORM))

/** The Prometheus tool: the machine's, or taken out of Debian's package without installing that. */
export async function promtool(): Promise<Tool> {
  return (
    (await onPath('promtool')) ?? (await kept('promtool')) ?? (await debianProgram('prometheus', 'promtool'))
  )
}

/** Where the files of a Go module are. */
export async function goModule(version: string): Promise<Tool> {
  return await attempt(`${version} cannot be had`, async () => {
    const { stdout } = await go(['mod', 'download', '-json', version], DOWNLOAD_MS)
    return (JSON.parse(stdout) as { Dir: string }).Dir
  })
}

/** What a program prints, whatever it thinks of its arguments. */
export async function output(tool: string, args: readonly string[], input?: string) {
  const running = command(tool, [...args], { maxBuffer: 64 * 1024 * 1024 })
  if (input !== undefined) running.child.stdin?.end(input)
  return await running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Error & { code?: number; stdout?: string; stderr?: string }) => ({
      code: error.code ?? 1,
      stdout: error.stdout ?? '',
      stderr: error.stderr ?? error.message,
    }),
  )
}

async function onPath(name: string): Promise<Tool | undefined> {
  const { code, stdout } = await output('sh', ['-c', `command -v ${name}`])
  return code === 0 ? { path: stdout.trim() } : undefined
}

async function kept(name: string): Promise<Tool | undefined> {
  const path = join(shelf, name)
  return existsSync(path) ? { path } : undefined
}

async function goProgram(name: string, version: string): Promise<Tool> {
  const label = `${name}-${version.split('@').at(-1)}`
  const there = await kept(label)
  if (there) return there
  return await attempt(`${name} cannot be built`, async () => {
    await mkdir(shelf, { recursive: true })
    // Beside its place, so that a build that is broken off leaves nothing there.
    const bench = await mkdtemp(join(shelf, 'build-'))
    try {
      await go(['install', '-trimpath', '-ldflags=-s -w', version], BUILD_MS, { GOBIN: bench })
      await rename(join(bench, name), join(shelf, label))
    } finally {
      await rm(bench, { recursive: true, force: true })
    }
    return join(shelf, label)
  })
}

async function debianProgram(name: string, program: string): Promise<Tool> {
  return await attempt(`Debian's package ${name} cannot be had`, async () => {
    await mkdir(shelf, { recursive: true })
    const bench = await mkdtemp(join(shelf, 'unpack-'))
    try {
      const options = { cwd: bench, timeout: DOWNLOAD_MS }
      const download = () => command('apt-get', ['download', '-qq', name], options)
      await download().catch(async (error: unknown) => {
        if (getuid?.() !== 0) throw error
        await command('apt-get', ['update', '-qq'], options)
        await download()
      })
      const [file = ''] = await readdir(bench)
      await command('dpkg', ['-x', file, 'unpacked'], options)
      await rename(join(bench, 'unpacked/usr/bin', program), join(shelf, program))
    } finally {
      await rm(bench, { recursive: true, force: true })
    }
    return join(shelf, program)
  })
}

/** Other tests run meanwhile, and some watch the clock. */
const go = (args: string[], timeout: number, more: Record<string, string> = {}) =>
  command('nice', ['go', ...args], {
    cwd: tmpdir(),
    timeout,
    env: { ...inherited, GOFLAGS: '-mod=mod', ...more },
    maxBuffer: 64 * 1024 * 1024,
  })

async function attempt(failure: string, work: () => Promise<string>): Promise<Tool> {
  try {
    return { path: await work() }
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string }
    const absent = code === 'ENOENT' || code === 127
    const reason = absent ? 'the program for it is not on this machine' : message
    return { why: `${failure}: ${reason.split('\n').slice(0, 2).join(' ').slice(0, 300)}` }
  }
}
