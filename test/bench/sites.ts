import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { startHelper } from './crawl/messages.ts'
import { isInstalled } from './scrape/command.ts'

/** A site on loopback; `pages` are its HTML pages, all of which its links lead to. */
export type Site = { name: string; origin: string; start: string; pages: number; stop: () => Promise<void> }

type Documentation = { name: string; directory: string; start: string }

/** What Debian's packages `postgresql-doc-15` and `python3.11-doc` install. */
const documentations: Documentation[] = [
  { name: 'PostgreSQL 15 documentation', directory: '/usr/share/doc/postgresql-doc-15/html', start: '/' },
  { name: 'Python 3.11 documentation', directory: '/usr/share/doc/python3.11/html', start: '/contents.html' },
]

const START_MS = 5000

/** The real sites that are installed here. */
export async function openDocumentations(): Promise<Site[]> {
  const here = documentations.filter(({ directory }) => existsSync(directory))
  return await Promise.all(here.map(open))
}

async function open({ name, directory, start }: Documentation): Promise<Site> {
  const pages = globSync('**/*.html', { cwd: directory }).length
  const served = isInstalled('nginx') ? await byNginx(directory) : await byNode(directory)
  return { name, start: served.origin + start, pages, ...served }
}

async function byNginx(directory: string) {
  const home = await mkdtemp(join(tmpdir(), 'seo-suite-bench-nginx-'))
  const port = await freePort()
  await writeFile(
    join(home, 'nginx.conf'),
    `daemon off; user root; worker_processes 1; pid ${home}/pid; error_log stderr crit;
events { worker_connections 512; }
http { include /etc/nginx/mime.types; charset utf-8; access_log off; keepalive_requests 100000; sendfile on;
  server { listen 127.0.0.1:${port}; root ${directory}; index index.html; disable_symlinks off; } }`,
  )
  const nginx = spawn('nginx', ['-p', home, '-c', join(home, 'nginx.conf')], { stdio: 'ignore' })
  const origin = `http://127.0.0.1:${port}`
  const until = Date.now() + START_MS
  while (!(await fetch(origin).catch(() => undefined))?.ok) {
    if (nginx.exitCode !== null || Date.now() > until) throw new Error('nginx does not serve')
    await sleep(50)
  }
  const stop = async () => {
    const exited = once(nginx, 'exit')
    nginx.kill('SIGQUIT')
    await exited
    await rm(home, { recursive: true, force: true })
  }
  return { origin, stop }
}

async function byNode(directory: string) {
  const server = startHelper('directory-process.ts')
  const { origin } = await server.ask<{ origin: string }>({ directory })
  return { origin, stop: () => server.stop() }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
