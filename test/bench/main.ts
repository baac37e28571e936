import { benchApi } from './api.ts'
import { benchAudit } from './audit.ts'
import { benchChecks } from './checks.ts'
import { benchCrawl } from './crawl.ts'
import { benchFleet } from './fleet.ts'
import { benchRanks } from './ranks.ts'
import { benchRender } from './render.ts'
import { benchScrape } from './scrape.ts'

/** `npm run bench [name] -- [options]`: each measures this service and its peers in one run, in turn. */
const benches: Record<string, (options: string[]) => Promise<void>> = {
  api: benchApi,
  audit: benchAudit,
  checks: benchChecks,
  crawl: benchCrawl,
  render: benchRender,
  fleet: benchFleet,
  scrape: benchScrape,
  ranks: benchRanks,
}

const [first = '', ...rest] = process.argv.slice(2)
const all = first === '' || first.startsWith('--')
const chosen = all ? Object.keys(benches) : [first]
for (const name of chosen) {
  const bench = benches[name]
  if (!bench) {
    process.stderr.write(`no benchmark is called ${name}; there are: ${Object.keys(benches).join(', ')}\n`)
    process.exit(1)
  }
  await bench(all ? process.argv.slice(2) : rest)
}
