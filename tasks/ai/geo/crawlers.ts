import type { SiteFacts } from '../../../sql/probes.ts'
import { accessOf } from '../../crawl/probes/access.ts'
import type { Purpose } from '../../crawl/probes/ai-agents.ts'
import { FORBID_ALL } from '../../crawl/rules.ts'

export type Crawler = {
  /** The product token of robots.txt. */
  agent: string
  operator: string
  /** What it fetches for: to cite pages, because somebody asked just now, or to train models. */
  class: Purpose
  /** Whether robots.txt lets it have the audited page. */
  robots: 'allowed' | 'blocked'
  /** How the server received a visit in its name, compared with a browser's; null when it was not tried. */
  observed: 'welcomed' | 'turned_away' | 'unclear' | null
}

/** What a robots.txt lets agents do, by RFC 9309: one that cannot be had (5xx, no answer) keeps them all out. */
export const bindingRobots = ({ status, text }: SiteFacts['robots']): SiteFacts['robots'] =>
  status === 0 || status >= 500 ? { status: 200, text: FORBID_ALL } : { status, text }

/** How each AI agent is let into a page: by robots.txt, and by the server where it was tried. */
export function crawlersOf(site: Pick<SiteFacts, 'robots' | 'visits'>, { pathname, search }: URL): Crawler[] {
  const robots = bindingRobots(site.robots)
  return accessOf({ ...site, robots }, pathname + search).map(
    ({ token, operator, purpose, allowed, met }) => ({
      agent: token,
      operator,
      class: purpose,
      robots: allowed ? 'allowed' : 'blocked',
      observed: met === 'not_visited' ? null : met,
    }),
  )
}
