import type { Facts } from './facts.ts'
import type { Visit } from './page.ts'

/** A challenge says little else. */
const WORDS = 200
const TITLES =
  /^(just a moment|attention required! \| cloudflare|access denied|you have been blocked|are you a robot|robot check|security check|please wait\.{3}|checking your browser|pardon our interruption|ddos-guard|verify you are human|un momento…)/i
const SCRIPTS =
  /\/cdn-cgi\/challenge-platform\/|_Incapsula_Resource|captcha-delivery\.com|\/_sec\/cp_challenge|awswaf\.com|px-captcha|perimeterx\.net|ddos-guard/i

/** Whether the headers alone say that a firewall answered. */
export const isChallengeHeader = (headers: Record<string, string>) =>
  headers['cf-mitigated'] === 'challenge' || /^(challenge|captcha)$/.test(headers['x-amzn-waf-action'] ?? '')

/** Whether a firewall answered with a test for robots instead of the page. */
export function isChallenge({ headers }: Pick<Visit, 'headers'>, facts: Facts | null): boolean {
  if (isChallengeHeader(headers)) return true
  if (!facts || facts.text.words >= WORDS) return false
  // Sites that pass the test keep the challenge's script on every page: it takes both.
  if (facts.title !== null && TITLES.test(facts.title)) return facts.links.length < 5
  return (
    facts.text.words < 20 &&
    facts.links.length === 0 &&
    facts.scriptSources.some((source) => SCRIPTS.test(source))
  )
}
