import { setTimeout as sleep } from 'node:timers/promises'

import type { Queued } from '../../sql/frontier.ts'
import { log } from '../../telemetry.ts'
import { RenderFault, type Rendered, type Session } from '../browser.ts'
import { FetchFault } from '../fault.ts'
import { type Answer, type CookieJar, fetchOnce } from '../http.ts'
import { decodeHtml } from './charset.ts'
import type { Facts } from './facts.ts'
import { examine, type PageRecord, type Visit } from './page.ts'
import { parse } from './parse.ts'
import { addsSubstantially, needsBrowser } from './render.ts'
import type { Rules } from './rules.ts'

/** Waits before a fetch that got no connection is tried again, milliseconds. */
const RETRY_AFTER = [200, 1000]

export type Tools = {
  rules: Rules
  cookies: CookieJar
  signal: AbortSignal
  /** Whether pages are rendered: all of them, those that look empty without a browser, or none. */
  render: 'all' | 'shells' | 'none'
  session?: Session | undefined
}

/** `record` null: the page looks empty without a browser, and this slice has none. */
export type Outcome = { record: PageRecord | null; rendering?: 'paid' | 'idle' }

/** Fetches one page and makes its record. Faults of the site become part of the record; it rejects only on abort. */
export async function visit(item: Queued, tools: Tools): Promise<Outcome> {
  const url = new URL(item.url)
  const answer = await fetchPatiently(url, tools)
  const plain = describe(item, url, answer, tools)
  if (plain.html === null || tools.render === 'none') return { record: record(plain) }

  const facts = parse(plain.html, url)
  const shell = needsBrowser(facts)
  if (tools.render === 'shells' && !shell) return { record: record(plain, facts) }
  if (!tools.session) return { record: null }

  const rendered = await renderPage(tools.session, url, tools.signal)
  if (!rendered) return { record: record(plain, facts) }
  const { html, requests } = rendered
  const view = { ...plain, html, rendered: true, plain: facts, requests }
  const renderedFacts = parse(html, url)
  const paid = addsSubstantially(facts, renderedFacts)
  if (tools.render === 'shells' && !paid) return { record: record(plain, facts), rendering: 'idle' }
  return { record: record(view, renderedFacts), ...(shell ? { rendering: paid ? 'paid' : 'idle' } : {}) }
}

/** A page that breaks our reading is a defect of ours, and no reason to lose the rest of the crawl. */
function record(visit: Visit, facts?: Facts): PageRecord {
  try {
    return examine(visit, facts)
  } catch (error) {
    log.error({ err: error, url: visit.url.href }, 'page could not be examined')
    return examine({ ...visit, html: null })
  }
}

async function fetchPatiently(url: URL, { cookies, signal }: Tools): Promise<Answer | FetchFault> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await fetchOnce(url, { cookies, signal, wants: isWanted })
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof FetchFault)) throw error
      const wait = RETRY_AFTER[attempt]
      if (wait === undefined || !['dns', 'connection'].includes(error.kind)) return error
      await sleep(wait, undefined, { signal })
    }
  }
}

const HTML = /^(text\/html|application\/xhtml\+xml)$/
const LOOKS_LIKE_HTML = /^\s*<(!doctype html|!--|html|head|body|title|h1|p|div|a\b)/i

/** Bodies are read of pages alone: what says it is HTML, or says nothing. */
const isWanted = ({ status, contentType }: { status: number; contentType: string | null }) =>
  status >= 200 && status < 300 && (contentType === null || HTML.test(contentType))

function describe(item: Queued, url: URL, answer: Answer | FetchFault, { rules }: Tools): Visit {
  const known = {
    url,
    depth: item.depth,
    inSitemap: item.in_sitemap,
    isStart: item.depth === 0 && !item.in_sitemap,
    rendered: false,
    isInternal: rules.isInternal,
    robotsText: rules.robotsText,
  }
  const robotsAllowed = rules.isOpen(url)
  if (answer instanceof FetchFault) {
    return {
      ...known,
      robotsAllowed,
      status: 0,
      fault: answer.kind,
      headers: {},
      contentType: null,
      bytes: 0,
      truncated: false,
      ttfbMs: null,
      totalMs: null,
      html: null,
    }
  }
  const { status, headers, setCookies, contentType, body, truncated, ttfbMs, totalMs } = answer
  const page = {
    ...known,
    robotsAllowed,
    status,
    fault: null,
    headers,
    setCookies,
    contentType,
    truncated,
    ttfbMs,
    totalMs,
  }
  if (!isWanted(answer)) return { ...page, bytes: body.length, html: null }
  const decoded = decodeHtml(body, headers['content-type'])
  const html = contentType === null && !LOOKS_LIKE_HTML.test(decoded.html) ? null : decoded.html
  return { ...page, bytes: body.length, html, charset: decoded }
}

/** The page after its scripts ran; null when the browser failed on it, and then the plain page has to do. */
async function renderPage(
  session: Session,
  url: URL,
  signal: AbortSignal,
  mayRetry = true,
): Promise<Rendered | null> {
  try {
    return await session.render(url, { signal })
  } catch (error) {
    signal.throwIfAborted()
    if (mayRetry && error instanceof RenderFault && error.retryable)
      return await renderPage(session, url, signal, false)
    log.warn({ err: error, url: url.href }, 'page could not be rendered')
    return null
  }
}
