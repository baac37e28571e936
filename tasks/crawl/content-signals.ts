import { parseRobots } from '../robots.ts'
import { type AiAgent, aiAgents, type Purpose } from './probes/ai-agents.ts'

/** What each content signal (contentsignals.org) concerns. */
const purposes: Record<string, Purpose> = { search: 'search', 'ai-input': 'user', 'ai-train': 'training' }

/** Whether a robots.txt welcomes a use of the content and shuts out a crawler that is there for it. */
export function hasSignalConflict(text: string): boolean {
  if (!/^\s*content-signal\s*:/im.test(text)) return false
  const robots = parseRobots(text)
  return signals(text).some(({ agents, purpose }) =>
    aiAgents.some(
      (agent) => agent.purpose === purpose && concerns(agents, agent) && !robots.allows('/', agent.token),
    ),
  )
}

type Signal = { agents: string[]; purpose: Purpose }

/** The uses that are welcome, and the agents of the group that says so. */
function signals(text: string): Signal[] {
  const found: Signal[] = []
  let agents: string[] = []
  let isNaming = false
  for (const line of text.split(/[\r\n]+/)) {
    const [, key = '', value = ''] = /^\s*([\w-]+)\s*:\s*([^#]*)/.exec(line) ?? []
    if (/^user-agent$/i.test(key)) {
      if (!isNaming) agents = []
      agents.push(value.trim().toLowerCase())
      isNaming = true
    } else if (/^(dis)?allow$/i.test(key)) isNaming = false
    if (!/^content-signal$/i.test(key)) continue
    for (const [, name = ''] of value.matchAll(/([\w-]+)\s*=\s*yes\b/gi)) {
      const purpose = Object.hasOwn(purposes, name.toLowerCase()) ? purposes[name.toLowerCase()] : undefined
      if (purpose) found.push({ agents, purpose })
    }
  }
  return found
}

const concerns = (agents: readonly string[], { token }: AiAgent) =>
  agents.length === 0 || agents.includes('*') || agents.includes(token.toLowerCase())
