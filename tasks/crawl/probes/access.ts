import type { SiteFacts } from '../../../sql/probes.ts'
import { parseRobots } from '../../robots.ts'
import { type AiAgent, aiAgents } from './ai-agents.ts'

/** The name under which a browser's visit is kept. */
export const BROWSER = 'browser'
/** An agent that gets less than this share of what a browser gets was turned away, if the page is long enough to tell. */
const SHARE = 0.2
const LONG = 1000

/** `met`: how the site received a visit in the agent's name. */
export type Access = AiAgent & {
  allowed: boolean
  met: 'welcomed' | 'turned_away' | 'unclear' | 'not_visited'
}

/** Whether robots.txt lets AI agents have a path, and how the site received those that were tried. */
export function accessOf({ robots, visits }: Pick<SiteFacts, 'robots' | 'visits'>, path = '/'): Access[] {
  const rules = parseRobots(robots.status >= 200 && robots.status < 300 ? robots.text : '')
  return aiAgents.map((agent) => ({
    ...agent,
    allowed: rules.allows(path, agent.token),
    met: received(visits ?? [], agent.token),
  }))
}

/** Whether robots.txt is silent about AI: what it forbids everybody is no choice about them. */
export const isOpenToAll = ({ robots }: Pick<SiteFacts, 'robots'>) =>
  parseRobots(robots.status >= 200 && robots.status < 300 ? robots.text : '').allows('/', '*')

function received(visits: NonNullable<SiteFacts['visits']>, name: string): Access['met'] {
  const visit = visits.find((visit) => visit.name === name)
  const browser = visits.find((visit) => visit.name === BROWSER)
  if (!visit) return 'not_visited'
  const isFair = browser !== undefined && browser.status >= 200 && browser.status < 300 && !browser.challenged
  // Who asks too often is turned away for that, whatever its name.
  if (!isFair || visit.status === 0 || visit.status === 429) return 'unclear'
  if (visit.challenged || visit.status >= 400) return 'turned_away'
  return browser.bytes >= LONG && visit.bytes < browser.bytes * SHARE ? 'turned_away' : 'welcomed'
}
