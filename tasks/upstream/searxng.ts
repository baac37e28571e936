import { Agent, request } from 'undici'
import { z } from 'zod'

import { config } from '../../config.ts'
import { type Account, underAccount } from './account.ts'
import { UpstreamFault } from './fault.ts'
import { isOn, type KeywordData } from './keyword-data.ts'

const TIMEOUT_MS = 30_000
const MAX_BYTES = 4 * 2 ** 20
const PAGES = 10
const DEPTH = 100
const RETRY_MS = 2000

/** Engines block whoever asks too much. */
const account: Account = { name: 'searxng', limit: 4, reserved: 0, callSeconds: 60, tries: 2 }

const Results = z.object({
  results: z.array(z.object({ url: z.string().nullish() })).nullish(),
  unresponsive_engines: z.array(z.unknown()).nullish(),
})

let agent: Agent | undefined

/**
 * A SearXNG of one's own, whose `search.formats` has `json` (https://docs.searxng.org/dev/search_api.html): free, but it
 * knows languages alone, no places. A position counts the results of its engines together.
 */
export const searXng: KeywordData = {
  name: 'searxng',
  async rank(keyword, { languageCode }, domain, caller) {
    let seen = 0
    for (let page = 1; page <= PAGES && seen < DEPTH; page++) {
      const urls = await underAccount(account, 'search', caller, (signal) =>
        search(keyword, languageCode, page, signal),
      )
      if (page === 1 && urls.length === 0) throw new UpstreamFault('empty', `no results for ${keyword}`)
      if (urls.length === 0) break
      const at = urls.findIndex((url) => isOn(domain, url))
      if (at >= 0 && seen + at < DEPTH) return { position: seen + at + 1, url: urls[at] ?? null }
      seen += urls.length
    }
    return { position: null, url: null }
  },
}

async function search(q: string, language: string, page: number, signal: AbortSignal): Promise<string[]> {
  agent ??= new Agent({ connections: account.limit, maxResponseSize: MAX_BYTES })
  const root = (config.SEARXNG_URL ?? '').replace(/\/+$/, '')
  const query = new URLSearchParams({ q, language, pageno: String(page), format: 'json' })
  let answer: { status: number; text: string }
  try {
    const { statusCode, body } = await request(`${root}/search?${query.toString()}`, {
      dispatcher: agent,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    answer = { status: statusCode, text: await body.text() }
  } catch (error) {
    throw new UpstreamFault('temporary', 'SearXNG does not answer', RETRY_MS, { cause: error })
  }
  if (answer.status === 403)
    throw new UpstreamFault('auth', 'SearXNG does not give JSON: add it to search.formats')
  if (answer.status === 429) throw new UpstreamFault('rate', 'SearXNG answers 429')
  const found = answer.status === 200 ? Results.safeParse(readJson(answer.text)) : undefined
  if (!found?.success) throw new UpstreamFault('temporary', `SearXNG answers ${answer.status}`, RETRY_MS)
  const urls = (found.data.results ?? []).flatMap(({ url }) => url ?? [])
  const blocked = found.data.unresponsive_engines ?? []
  if (urls.length === 0 && blocked.length > 0)
    throw new UpstreamFault('temporary', `engines do not answer: ${JSON.stringify(blocked).slice(0, 200)}`)
  return urls
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
