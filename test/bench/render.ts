import { slotCount } from '../../tasks/browser.ts'
import { findBrowser } from '../../tasks/browser/chromium.ts'
import { startHelper } from './crawl/messages.ts'
import { startOurs } from './crawl/ours.ts'
import { meter } from './meter.ts'
import { numbersOf } from './options.ts'
import { machine, median, table } from './table.ts'

type Run = { seconds: number; cpuMs: number }

/** What Crawlee's handler waits for before it reads a page. */
const waits = { 'no request for 0.5 s': 'networkidle', "this site's own selector": '#root nav a' }

/**
 * A site that is empty without its scripts, crawled by this service and by Crawlee's PlaywrightCrawler, one Chromium each
 * with as many tabs. Crawlee is told what to wait for, in two ways; ours finds out by itself when a page is whole.
 */
export async function benchRender(given: string[]) {
  const { items, rounds } = numbersOf(given, { items: 300, rounds: 3 })
  const executablePath = findBrowser()
  if (!executablePath) return void process.stdout.write('No Chromium was found: rendering is not measured.\n')
  const site = startHelper('spa-process.ts')
  const crawlee = startHelper('playwright-process.ts')
  const ours = await startOurs({ concurrency: slotCount, maxPages: items + 100 })
  const results = new Map<string, Run[]>()
  const keep = (name: string, run: Run) => results.set(name, [...(results.get(name) ?? []), run])
  try {
    const { origin } = await site.ask<{ origin: string }>({ items })
    for (let round = 1; round <= rounds; round++) {
      process.stderr.write(`round ${round} of ${rounds}\n`)
      const mine = await ours.crawl(origin)
      if (mine.status !== 'completed' || mine.pages < items)
        throw new Error(`the crawl is ${mine.status} with ${mine.pages} of ${items} pages`)
      keep('seo-suite', { seconds: mine.seconds, cpuMs: mine.worker.cpuMs })
      for (const [name, wait] of Object.entries(waits)) {
        const used = meter(crawlee.pid)
        const start = `${origin}/`
        const task = { start, concurrency: slotCount, executablePath, wait }
        const theirs = await crawlee.ask<{ pages: number; seconds: number }>(task)
        if (theirs.pages < items) throw new Error(`Crawlee saw ${theirs.pages} of ${items} pages`)
        keep(`PlaywrightCrawler, ${name}`, { seconds: theirs.seconds, cpuMs: used.read().cpuMs })
      }
    }
  } finally {
    await Promise.all([site.stop(), crawlee.stop(), ours.stop()])
  }
  const speed = (name: string) => median(results.get(name)!.map(({ seconds }) => items / seconds))
  const rows = [...results].map(([name, runs]) => [
    name,
    speed(name),
    speed('seo-suite') / speed(name),
    median(runs.map(({ cpuMs }) => cpuMs / items)),
  ])
  process.stdout.write(
    `\nRendering of ${items} pages, one Chromium with ${slotCount} tabs, medians of ${rounds} rounds\n${machine()}\n\n` +
      `${table(['', 'pages/s', 'seo-suite is so many times as fast', 'CPU ms/page with the browser'], rows)}\n`,
  )
}
