import { accessSync, constants, globSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

import type { Browser } from 'playwright'

import { config } from '../../config.ts'
import type { Proxy } from './proxy.ts'

const LAUNCH_MS = 30_000

const systemBrowsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const systemFolders = ['/usr/bin', '/usr/local/bin', '/snap/bin']
// Playwright is not asked: loading it costs 0.5 s and 78 MB, and most workers never need it.
const playwrightFolders = [path.join(homedir(), '.cache/ms-playwright'), '/ms-playwright']
const playwrightBrowsers =
  '{chromium,chromium_headless_shell}-*/chrome-*/{chrome,headless_shell,chrome-headless-shell}'

let found: string | null | undefined

/** Where the browser is: the one named in the environment, Playwright's, the system's; null without any. */
export function findBrowser(): string | null {
  found ??= candidates().find(isExecutable) ?? null
  return found
}

function candidates(): string[] {
  if (config.CHROMIUM_PATH) return [config.CHROMIUM_PATH]
  return [
    ...playwrightFolders.flatMap((cwd) =>
      globSync(playwrightBrowsers, { cwd })
        .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
        .map((file) => path.join(cwd, file)),
    ),
    ...systemFolders.flatMap((folder) => systemBrowsers.map((name) => path.join(folder, name))),
  ]
}

function isExecutable(file: string) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Starts a browser whose every connection goes through the proxy. */
export async function launch(executablePath: string, proxy: Proxy): Promise<Browser> {
  const { chromium } = await import('playwright')
  return chromium.launch({
    executablePath,
    timeout: LAUNCH_MS,
    // Chromium's sandbox refuses to run as root.
    chromiumSandbox: process.getuid?.() !== 0,
    // Without the secret here Playwright would intercept every request, which turns the cache off; see openTab().
    proxy: { server: proxy.server, bypass: '<-loopback>' },
    // Ours is full of secrets.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: homedir(), LANG: 'C.UTF-8' },
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    ignoreDefaultArgs: [
      '--disable-popup-blocking',
      '--disable-ipc-flooding-protection',
      '--enable-unsafe-swiftshader',
    ],
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
      // WebRTC would go past the proxy. Chromium renamed the switch and ignores the old one, silently.
      '--webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
      // The proxy resolves names; the browser reaches nothing but the proxy.
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
      // Images are not loaded, and no error event tells the page so: it keeps its src. The rest are Playwright's.
      '--blink-settings=imagesEnabled=false,primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
    ],
  })
}
