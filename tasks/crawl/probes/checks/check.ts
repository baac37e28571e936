import type { FragmentSqlToken } from 'slonik'

import type { SiteFacts } from '../../../../sql/probes.ts'
import type { Declared } from '../../checks/check.ts'

/** What differs from a site at https://example.test/ of which nothing is known but an empty robots.txt. */
export type ProbeExample = Partial<Omit<SiteFacts, 'robots' | 'start'>> & {
  robots?: string
  start?: Partial<SiteFacts['start']>
}

/** Judges a site by what the probes found; its start page has the issue, or the pages that `pages` selects, if any. */
export type ProbeCheck = Declared & {
  finds(facts: SiteFacts): boolean
  pages?(crawlId: number): FragmentSqlToken
  examples: { bad: readonly ProbeExample[]; good: readonly ProbeExample[] }
}
