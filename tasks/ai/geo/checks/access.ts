import { BROWSER } from '../../../crawl/probes/access.ts'
import type { Purpose } from '../../../crawl/probes/ai-agents.ts'
import type { Crawler } from '../crawlers.ts'
import type { GeoSite } from '../site.ts'
import type { GeoCheck, Verdict } from './check.ts'

/** Agents of the products that most people ask; each counts as much as three others. */
const LEADING = new Set(
  'OAI-SearchBot PerplexityBot Claude-SearchBot Googlebot Bingbot ChatGPT-User Claude-User Perplexity-User'.split(
    ' ',
  ),
)
const PRECEDENCE = 3

const weightOf = (crawlers: readonly Crawler[]) =>
  crawlers.reduce((sum, { agent }) => sum + (LEADING.has(agent) ? PRECEDENCE : 1), 0)

const namesOf = (crawlers: readonly Crawler[]) => crawlers.map(({ agent }) => agent)

/** How many of the agents of a class robots.txt lets in. */
const letsIn =
  (purpose: Purpose) =>
  ({ crawlers, robotsStatus }: GeoSite): Verdict => {
    const all = crawlers.filter((crawler) => crawler.class === purpose)
    const blocked = all.filter(({ robots }) => robots === 'blocked')
    return {
      share: 1 - weightOf(blocked) / weightOf(all),
      value: { total: all.length, allowed: all.length - blocked.length, robots_txt_status: robotsStatus },
      evidence: namesOf(blocked),
    }
  }

const shut = (...agents: string[]) => ({
  robots: agents.map((agent) => `User-agent: ${agent}\nDisallow: /\n`).join('\n'),
})
const visit = (name: string, status = 200, bytes = 9000) => ({ name, status, bytes, challenged: false })
const browser = visit(BROWSER)

/** Whether answer engines get to the page. */
export const accessChecks: GeoCheck[] = [
  {
    code: 'ai_search_allowed',
    area: 'access',
    weight: 11,
    title: {
      it: 'robots.txt lascia entrare gli agenti che cercano fonti da citare',
      en: 'robots.txt lets in the agents that look for sources to cite',
    },
    fix: {
      it: 'Togli da robots.txt i gruppi che bloccano gli agenti elencati, o aggiungi per ciascuno `Allow: /`. Se robots.txt risponde con un errore 5xx o non risponde, fallo rispondere 200 (o 404): finché manca, tutti restano fuori.',
      en: 'Remove the groups that block the agents listed from robots.txt, or add `Allow: /` for each. If robots.txt answers with a 5xx error or not at all, make it answer 200 (or 404): until then all of them stay out.',
    },
    judge: letsIn('search'),
    examples: {
      pass: ['<p>text', shut('GPTBot', 'ChatGPT-User'), { robots: 'User-agent: *\nDisallow: /private/' }],
      warn: [shut('OAI-SearchBot'), { robots: 'User-agent: PerplexityBot\nDisallow: /page' }],
      fail: [shut('*'), { robotsStatus: 503 }, { robotsStatus: 0 }],
    },
  },
  {
    code: 'ai_user_allowed',
    area: 'access',
    weight: 7,
    title: {
      it: 'robots.txt lascia entrare gli agenti che leggono una pagina perché qualcuno lo chiede',
      en: 'robots.txt lets in the agents that read a page because somebody asks',
    },
    fix: {
      it: 'Togli da robots.txt i gruppi che bloccano gli agenti elencati (per esempio ChatGPT-User e Claude-User), o aggiungi per ciascuno `Allow: /`.',
      en: 'Remove the groups that block the agents listed (such as ChatGPT-User and Claude-User) from robots.txt, or add `Allow: /` for each.',
    },
    judge: letsIn('user'),
    examples: {
      pass: ['<p>text', shut('GPTBot', 'OAI-SearchBot')],
      warn: [shut('ChatGPT-User', 'Claude-User')],
      fail: [shut('*'), { robotsStatus: 500 }],
    },
  },
  {
    code: 'ai_visits_welcome',
    area: 'access',
    weight: 7,
    title: {
      it: 'Il server risponde agli agenti AI come a un browser',
      en: 'The server answers AI agents as it answers a browser',
    },
    fix: {
      it: 'Lascia passare gli agenti elencati nelle regole del firewall o della CDN, secondo gli indirizzi che i loro gestori pubblicano.',
      en: 'Let the agents listed through in the rules of the firewall or CDN, by the addresses their operators publish.',
    },
    judge({ crawlers }) {
      const tried = crawlers.filter(
        ({ robots, observed }) =>
          robots === 'allowed' && (observed === 'welcomed' || observed === 'turned_away'),
      )
      const refused = tried.filter(({ observed }) => observed === 'turned_away')
      return {
        share: tried.length === 0 ? null : 1 - weightOf(refused) / weightOf(tried),
        value: { tried: tried.length, welcomed: tried.length - refused.length },
        evidence: namesOf(refused),
      }
    },
    examples: {
      pass: [{ visits: [browser, visit('GPTBot'), visit('OAI-SearchBot', 429)] }],
      warn: [{ visits: [browser, visit('GPTBot', 403), visit('OAI-SearchBot')] }],
      fail: [
        { visits: [browser, visit('GPTBot', 200, 100)] },
        { visits: [browser, visit('PerplexityBot', 503)] },
      ],
      unknown: [
        '<p>text',
        { visits: [visit(BROWSER, 403), visit('GPTBot', 403)] },
        { visits: [browser, visit('GPTBot', 0)] },
      ],
    },
  },
  {
    code: 'ai_training_allowed',
    area: 'access',
    weight: 0,
    title: {
      it: 'robots.txt lascia entrare gli agenti che raccolgono testi per l’addestramento (una scelta, non un difetto)',
      en: 'robots.txt lets in the agents that gather texts for training (a choice, not a fault)',
    },
    fix: {
      it: 'Niente, se è voluto; altrimenti togli da robots.txt i gruppi degli agenti elencati.',
      en: 'Nothing, if this is what you want; else remove the groups of the agents listed from robots.txt.',
    },
    judge: letsIn('training'),
    examples: { pass: ['<p>text', shut('OAI-SearchBot')], warn: [shut('GPTBot')], fail: [shut('*')] },
  },
]
