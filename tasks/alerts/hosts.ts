import type { Executor } from '../../sql/pool.ts'
import type { SiteFacts } from '../../sql/probes.ts'
import * as watched from '../../sql/watched-hosts.ts'
import { accessOf } from '../crawl/probes/access.ts'
import { aiCrawlerBlocked } from './rules/ai-crawler-blocked.ts'
import { certificateExpiring } from './rules/certificate-expiring.ts'
import { judge, type Verdict } from './rules/rule.ts'

/** What was seen of a host; null is what could not be. */
export type Look = {
  host: string
  certificate: SiteFacts['certificate']
  robots: SiteFacts['robots'] | null
}

/**
 * Judges hosts for those who watch them, or for one user who crawled them, and keeps what was seen. Hosts are locked
 * meanwhile: each change is told of once, whoever sees it.
 */
export async function judgeHosts(
  looks: readonly Look[],
  userId: number | null,
  on: Executor,
): Promise<Verdict[]> {
  const at = Date.now()
  const seen = new Map(looks.map((look) => [look.host, { ...look, agents: agentsOf(look) }]))
  const watchers = await watched.lock([...seen.keys()], userId, on)
  const verdicts: Verdict[] = []
  const kept: Parameters<typeof watched.keepLetIn>[0][number][] = []
  for (const { host, user_id: watcher, let_in: before, has_www: hasWww } of watchers) {
    const { certificate = null, agents = null } = seen.get(host) ?? {}
    verdicts.push(judge(certificateExpiring, watcher, { host, certificate, at }))
    // Of a site that is crawled as www. the bare domain is but the way there; nobody is told twice.
    if (!agents || (userId === null && hasWww)) continue
    verdicts.push(judge(aiCrawlerBlocked, watcher, { host, before, ...agents }))
    kept.push({ host, userId: watcher, letIn: agents.letIn })
  }
  await watched.keepLetIn(kept, on)
  return verdicts
}

/** Whom robots.txt lets in, of those who search and those who ask; null where it did not clearly say. */
function agentsOf({ robots }: Look): { letIn: string[]; shutOut: string[] } | null {
  if (!robots || !isClear(robots.status)) return null
  const agents = accessOf({ robots, visits: null }).filter(({ purpose }) => purpose !== 'training')
  const tokens = (allowed: boolean) =>
    agents.filter((agent) => agent.allowed === allowed).map(({ token }) => token)
  return { letIn: tokens(true), shutOut: tokens(false) }
}

/** A refusal or an error is no statement about agents, whatever crawlers take it for. */
const isClear = (status: number) => (status >= 200 && status < 300) || status === 404 || status === 410
