import { LinkChecker } from 'linkinator'

/** Linkinator on a site: every link of every page is asked for, nothing is kept but its state. */
process.on('message', (message: { start: string; concurrency: number }) => {
  void check(message).then((answer) => process.send?.(answer))
})

async function check({ start, concurrency }: { start: string; concurrency: number }) {
  const checker = new LinkChecker()
  let pages = 0
  checker.on('pagestart', () => (pages += 1))
  const { host } = new URL(start)
  const elsewhere = `^https?://(?!${host.replaceAll('.', String.raw`\.`)})`
  const started = performance.now()
  await checker.check({ path: start, recurse: true, concurrency, linksToSkip: [elsewhere] })
  return { pages, seconds: (performance.now() - started) / 1000 }
}
