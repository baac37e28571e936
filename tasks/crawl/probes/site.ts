import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'

import type { SiteFacts } from '../../../sql/probes.ts'
import { FetchFault } from '../../fault.ts'
import type { Answer } from '../../http.ts'
import { parseRobots } from '../../robots.ts'
import { isChallenge } from '../challenge.ts'
import { decodeHtml } from '../charset.ts'
import { parse } from '../parse.ts'
import { BROWSER } from './access.ts'
import { aiAgents, browserUserAgent } from './ai-agents.ts'
import type { Ask } from './ask.ts'

/** Characters kept of /llms.txt. */
const LLMS_TEXT = 10_000

type Start = SiteFacts['start']

/** An address that cannot exist. */
export async function probeNowhere(ask: Ask, url: URL, start: Start): Promise<SiteFacts['nowhere']> {
  const { answer, redirects } = await ask(url)
  if (isChallenge(answer, null)) return null
  const home = [new URL('/', url).href, start.url].includes(answer.url.href)
  return { status: answer.status, landed: redirects.length === 0 ? 'there' : home ? 'home' : 'elsewhere' }
}

export const nowhere = (start: URL) => new URL(`/${randomBytes(12).toString('hex')}`, start)

export async function probeIcon(ask: Ask, start: URL): Promise<SiteFacts['icon']> {
  const { answer } = await ask(new URL('/favicon.ico', start))
  return { named: false, status: answer.status, contentType: answer.contentType }
}

export async function probeLlms(ask: Ask, start: URL): Promise<SiteFacts['llms']> {
  const { answer } = await ask(new URL('/llms.txt', start))
  const text = isSuccess(answer) ? answer.body.toString().slice(0, LLMS_TEXT) : ''
  const { status, contentType } = answer
  return { status, contentType, text: text.toWellFormed().replaceAll('\0', '') }
}

/** The same page by http, or by https. Null where the other's port is anybody's guess. */
export function schemeTwin(url: URL): URL | null {
  if (url.port !== '') return null
  const twin = new URL(url)
  twin.protocol = url.protocol === 'https:' ? 'http:' : 'https:'
  return twin
}

/** Whether plain http leads to https. `twin` is the start page by the other of the two. */
export async function probeHttp(ask: Ask, start: Start, twin: URL): Promise<SiteFacts['http']> {
  if (twin.protocol === 'https:') {
    const { answer } = await ask(twin, { goesOn: ({ protocol }) => protocol === 'https:' })
    const secured = isSecure(start.canonical) ? 'by canonical' : null
    return { status: start.status, secured, hasHttps: isSuccess(answer) }
  }
  const { answer, redirects, next } = await ask(twin, { goesOn: ({ protocol }) => protocol === 'http:' })
  const { status } = answer
  if (next?.protocol === 'https:') {
    const permanent = redirects.every((status) => status === 301 || status === 308)
    return { status, secured: permanent ? 'permanently' : 'temporarily', hasHttps: true }
  }
  const canonical = isSuccess(answer) ? read(answer).canonical : null
  return { status, secured: isSecure(canonical) ? 'by canonical' : null, hasHttps: true }
}

/** The same page with `www.`, or without. Null where there can be no such host. */
export function wwwTwin(url: URL): URL | null {
  const { hostname } = url
  if (isIP(hostname.replace(/^\[|\]$/g, '')) || !hostname.includes('.')) return null
  const twin = new URL(url)
  twin.hostname = hostname.startsWith('www.') ? hostname.slice(4) : `www.${hostname}`
  return twin.hostname.includes('.') ? twin : null
}

/** Whether the same page is on the twin host in its own right: no redirect to the site, and no canonical either way. */
export async function probeTwin(ask: Ask, start: Start, twin: URL): Promise<SiteFacts['twin']> {
  const { answer } = await ask(twin)
  const host = twin.host
  const isThere = isSuccess(answer) && answer.url.host === host && !isChallenge(answer, null)
  if (!isThere) return { host, status: answer.status, duplicate: false }
  const { title, canonical } = read(answer)
  const own = new URL(start.url).host
  const points = hostOf(canonical) === own || hostOf(start.canonical) === host
  return { host, status: answer.status, duplicate: !points && title !== null && title === start.title }
}

/** The start page as a browser gets it, and as AI agents do whom robots.txt lets in; `ask` decides how many at once. */
export async function probeVisits(
  ask: Ask,
  start: Start,
  robots: SiteFacts['robots'],
): Promise<SiteFacts['visits']> {
  if (start.status < 200 || start.status > 299) return null
  const url = new URL(start.url)
  const visit = async (name: string, userAgent: string) => {
    try {
      const { answer } = await ask(url, { userAgent })
      const facts = isSuccess(answer) ? read(answer).facts : null
      return {
        name,
        status: answer.status,
        bytes: answer.body.length,
        challenged: isChallenge(answer, facts),
      }
    } catch (error) {
      if (error instanceof FetchFault) return { name, status: 0, bytes: 0, challenged: false }
      throw error
    }
  }
  const rules = parseRobots(robots.text)
  // A server that stumbles once has not turned anybody away.
  const patiently = async (name: string, userAgent: string) => {
    const first = await visit(name, userAgent)
    return first.status >= 500 ? await visit(name, userAgent) : first
  }
  const agents = aiAgents.filter(({ token }) => rules.allows(url.pathname + url.search, token))
  return await Promise.all([
    visit(BROWSER, browserUserAgent),
    ...agents.flatMap(({ token, userAgent }) => (userAgent ? [patiently(token, userAgent)] : [])),
  ])
}

const isSuccess = ({ status }: Answer) => status >= 200 && status < 300
const isSecure = (address: string | null) => address !== null && /^https:/i.test(address)
const hostOf = (address: string | null) => (address === null ? null : (URL.parse(address)?.host ?? null))

function read({ body, url, headers }: Answer) {
  const facts = parse(decodeHtml(body, headers['content-type']).html, url)
  const canonical = facts.canonicals.find((canonical) => canonical.url !== null)?.url ?? null
  return { facts, title: facts.title, canonical }
}
