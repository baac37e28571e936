import type { SiteFacts } from '../../../../sql/probes.ts'
import { accessOf, BROWSER, isOpenToAll } from '../access.ts'
import type { Purpose } from '../ai-agents.ts'
import type { ProbeCheck } from './check.ts'

/** Characters a useful /llms.txt has at least. */
const LLMS_LENGTH = 50

const isShut = (purpose: Purpose) => (facts: SiteFacts) =>
  isOpenToAll(facts) && accessOf(facts).some((agent) => agent.purpose === purpose && !agent.allowed)

const shut = (agent: string) => `User-agent: ${agent}\nDisallow: /\n\nUser-agent: *\nDisallow: /private/`
const open = [
  {},
  { robots: 'User-agent: *\nDisallow: /' },
  { robots: 'User-agent: GPTBot\nUser-agent: OAI-SearchBot\nUser-agent: ChatGPT-User\nDisallow: /drafts/' },
]

const visited = (name: string, bytes = 9000, status = 200, challenged = false) => ({
  name,
  status,
  bytes,
  challenged,
})
const browser = visited(BROWSER)

const llms = (text: string, status = 200, contentType = 'text/plain') => ({
  llms: { status, contentType, text },
})
const GOOD_LLMS =
  '# Example\n\n> Handmade shoes from Florence.\n\n- [Prices](https://example.test/prices): all of them'

/** Whether AI products can read the site. */
export const aiChecks: ProbeCheck[] = [
  {
    code: 'ai_search_bot_blocked',
    severity: 'moderate',
    about: 'robots.txt keeps out an agent that answers questions from the web: it will not cite the site.',
    fix: 'Remove the group of the search agent (such as OAI-SearchBot or PerplexityBot) from robots.txt, or let it in with `Allow: /`.',
    finds: isShut('search'),
    examples: {
      bad: [{ robots: shut('OAI-SearchBot') }, { robots: shut('perplexitybot') }],
      good: [...open, { robots: shut('GPTBot') }],
    },
  },
  {
    code: 'ai_user_bot_blocked',
    severity: 'moderate',
    about: 'robots.txt keeps out an agent that fetches a page when somebody asks about it.',
    fix: 'Remove the group of the agent (such as ChatGPT-User or Claude-User) from robots.txt, or let it in with `Allow: /`.',
    finds: isShut('user'),
    examples: {
      bad: [{ robots: shut('ChatGPT-User') }, { robots: shut('Claude-User') }],
      good: [...open, { robots: shut('CCBot') }],
    },
  },
  {
    code: 'ai_training_bot_blocked',
    severity: 'minor',
    scored: false,
    about: 'robots.txt keeps out an agent that gathers texts for training: a choice, not a fault.',
    fix: 'Nothing, if this is what you want; else remove the agent’s group (such as GPTBot or Google-Extended) from robots.txt.',
    finds: isShut('training'),
    examples: {
      bad: [{ robots: shut('GPTBot') }, { robots: shut('Google-Extended') }],
      good: [...open, { robots: shut('ChatGPT-User') }],
    },
  },
  {
    code: 'ai_bot_waf_blocked',
    severity: 'moderate',
    about:
      'robots.txt lets an AI agent in, but the server turned away a visit in its name that it grants a browser.',
    fix: 'Let the agent through in the rules of the firewall or CDN, by the addresses its operator publishes.',
    finds: (facts) => accessOf(facts).some(({ allowed, met }) => allowed && met === 'turned_away'),
    examples: {
      bad: [
        { visits: [browser, visited('GPTBot', 100, 403)] },
        { visits: [browser, visited('PerplexityBot', 100, 503)] },
        { visits: [browser, visited('ClaudeBot', 9000, 200, true)] },
        { visits: [browser, visited('GPTBot', 1799)] },
      ],
      good: [
        { visits: [browser, visited('GPTBot', 1800)] },
        { visits: [browser, visited('GPTBot', 0, 429)] },
        { visits: [browser, visited('GPTBot', 0, 0)] },
        { visits: [visited(BROWSER, 100, 403), visited('GPTBot', 100, 403)] },
        { visits: [visited(BROWSER, 900), visited('GPTBot', 10)] },
        { visits: [browser, visited('GPTBot', 100, 403)], robots: shut('GPTBot') },
        {},
      ],
    },
  },
  {
    code: 'llms_txt_missing',
    severity: 'minor',
    scored: false,
    about:
      'There is no /llms.txt, which some AI products read as a guide to the site; search engines ignore it.',
    fix: 'If you want one, put a Markdown file at /llms.txt: a title, a summary, links to the pages that matter.',
    finds: ({ llms }) => llms !== null && (llms.status === 404 || llms.status === 410),
    examples: {
      bad: [llms('', 404), llms('', 410)],
      good: [llms(GOOD_LLMS), llms('', 403), llms('', 500), {}],
    },
  },
  {
    code: 'llms_txt_invalid',
    severity: 'minor',
    about: '/llms.txt is not what its readers expect: Markdown with a title and links.',
    fix: 'Begin the file with `# Name of the site`, add a summary and Markdown links, and serve it as text.',
    finds: ({ llms }) => llms !== null && llms.status >= 200 && llms.status < 300 && !isLlmsTxt(llms),
    examples: {
      bad: [
        llms('<!doctype html><title>Welcome</title>'.padEnd(100, ' '), 200, 'text/html'),
        llms(GOOD_LLMS.replace('# ', '')),
        llms(GOOD_LLMS.replace('](', ' ')),
        llms('# A [b](/c)'),
        llms(''),
      ],
      good: [llms(GOOD_LLMS), llms(GOOD_LLMS, 200, 'text/markdown'), llms('', 404), {}],
    },
  },
]

type Llms = NonNullable<SiteFacts['llms']>

/** Whether a text is served at /llms.txt, and no page that answers any address. */
export const hasLlmsTxt = ({ status, text, contentType }: Llms) =>
  status >= 200 &&
  status < 300 &&
  text.trim() !== '' &&
  contentType !== 'text/html' &&
  !/^\s*<(!doctype|html)/i.test(text)

/** Whether it is what its readers expect: Markdown with a title and links. */
export function isLlmsTxt(llms: Llms): boolean {
  const { text } = llms
  return (
    hasLlmsTxt(llms) &&
    text.trim().length >= LLMS_LENGTH &&
    /^\s*#\s+\S/m.test(text) &&
    /\[[^\]]+\]\([^)\s]+\)/.test(text)
  )
}
