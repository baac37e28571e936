import { Configuration, log, LogLevel, PlaywrightCrawler } from '@crawlee/playwright'

/**
 * Crawlee's PlaywrightCrawler: title, text and links of every page. It does not know when a page is whole; `wait` is what
 * its handler waits for: no request for half a second, or else a selector that somebody found out for this very site.
 */
log.setLevel(LogLevel.WARNING)

type Task = {
  start: string
  concurrency: number
  executablePath: string
  wait: 'networkidle' | (string & {})
}

process.on('message', (message: Task) => {
  void crawl(message).then((answer) => process.send?.(answer))
})

async function crawl({ start, concurrency, executablePath, wait }: Task) {
  const configuration = new Configuration({ persistStorage: false, memoryMbytes: 8192 })
  let pages = 0
  const crawler = new PlaywrightCrawler(
    {
      minConcurrency: concurrency,
      maxConcurrency: concurrency,
      maxRequestRetries: 0,
      useSessionPool: false,
      // One browser, as ours has one.
      browserPoolOptions: { maxOpenPagesPerBrowser: concurrency, useFingerprints: false },
      launchContext: { launchOptions: { executablePath, args: ['--no-sandbox', '--disable-gpu'] } },
      async requestHandler({ page, pushData, request, enqueueLinks }) {
        if (wait === 'networkidle') await page.waitForLoadState('networkidle')
        else await page.waitForSelector(wait)
        pages += 1
        await pushData({
          url: request.loadedUrl,
          title: await page.title(),
          text: await page.innerText('body'),
        })
        await enqueueLinks({ strategy: 'same-hostname' })
      },
    },
    configuration,
  )
  const started = performance.now()
  await crawler.run([start])
  return { pages, seconds: (performance.now() - started) / 1000 }
}
