import { aiChecks } from './ai.ts'
import type { ProbeCheck } from './check.ts'
import { hostChecks } from './host.ts'
import { robotsChecks } from './robots.ts'
import { sitemapFileChecks } from './sitemaps.ts'

export const probeChecks: readonly ProbeCheck[] = [
  ...robotsChecks,
  ...sitemapFileChecks,
  ...hostChecks,
  ...aiChecks,
]
