import { CheerioCrawler, Configuration, log, LogLevel } from '@crawlee/cheerio'

/** Crawlee's CheerioCrawler on a site: title, description, h1 and links of every page, kept in memory. */
log.setLevel(LogLevel.OFF)

const MEMORY_MB = 8192 // more than it needs: its pool shrinks when it believes memory to be short

process.on('message', (message: { start: string; concurrency: number }) => {
  void crawl(message).then((answer) => process.send?.(answer))
})

async function crawl({ start, concurrency }: { start: string; concurrency: number }) {
  const configuration = new Configuration({ persistStorage: false, memoryMbytes: MEMORY_MB })
  let pages = 0
  const crawler = new CheerioCrawler(
    {
      minConcurrency: concurrency,
      maxConcurrency: concurrency,
      maxRequestRetries: 0,
      useSessionPool: false,
      async requestHandler({ $, request, enqueueLinks, pushData }) {
        pages += 1
        await pushData({
          url: request.loadedUrl,
          title: $('title').first().text(),
          description: $('meta[name="description"]').attr('content'),
          h1: $('h1').first().text(),
          links: $('a[href]')
            .map((_, element) => $(element).attr('href'))
            .get(),
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
