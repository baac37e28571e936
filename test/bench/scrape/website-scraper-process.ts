import scrape from 'website-scraper'

/** The npm package website-scraper, which saves into a directory. */
process.on('message', (message: { origin: string; directory: string; concurrency: number }) => {
  void mirror(message).then((answer) => process.send?.(answer))
})

async function mirror({
  origin,
  directory,
  concurrency,
}: {
  origin: string
  directory: string
  concurrency: number
}) {
  await scrape({
    urls: [`${origin}/`],
    directory,
    recursive: true,
    requestConcurrency: concurrency,
    filenameGenerator: 'bySiteStructure',
    urlFilter: (url) => url.startsWith(origin),
  })
  return { done: true }
}
