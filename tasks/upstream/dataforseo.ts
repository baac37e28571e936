import type { z } from 'zod'

import { questionPattern } from '../keywords/questions.ts'
import { call, post } from './dataforseo/call.ts'
import { faultOf } from './dataforseo/faults.ts'
import { KeywordDataInfo, Language, Location, Ready, Serp, Suggestions, Volume } from './dataforseo/wire.ts'
import { UpstreamFault } from './fault.ts'
import { isOn, type KeywordData, type Market, type Metric, type Rank } from './keyword-data.ts'

/** Organic results looked through. */
const DEPTH = 100
const VOLUME_BATCH = 1000
/** Google Ads takes no longer keywords, in characters and words. */
const VOLUME_LENGTH = 80
const VOLUME_WORDS = 10
const IDEAS = 100
const QUESTION_IDEAS = 50

const TASK_CREATED = 20_100

const ORGANIC = 'serp/google/organic'
const SUGGESTIONS = 'dataforseo_labs/google/keyword_suggestions/live'

/** DataForSEO v3 (https://docs.dataforseo.com/v3). */
export const dataForSeo: KeywordData = {
  name: 'dataforseo',

  async rank(keyword, market, domain, caller) {
    const task = search({ keyword, market, domain })
    const [serp] = await call(`${ORGANIC}/live/advanced`, task, Serp, caller)
    return rankIn(serp, domain)
  },

  queue: {
    async post(questions, caller) {
      const tasks = questions.map((question) => ({ ...search(question), tag: question.tag, priority: 1 }))
      const taken = await post(`${ORGANIC}/task_post`, tasks, caller)
      return taken.map(({ id, status_code: code, status_message: message, data }) => ({
        tag: data?.tag ?? '',
        upstreamId: code === TASK_CREATED ? (id ?? null) : null,
        refusal: code === TASK_CREATED ? null : faultOf(code, message ?? ''),
      }))
    },
    async ready(caller) {
      const rows = await call(`${ORGANIC}/tasks_ready`, undefined, Ready, caller)
      return rows.flatMap(({ id, tag }) => (id ? { id, tag: tag ?? '' } : []))
    },
    async collect(id, domain, caller) {
      const [serp] = await call(`${ORGANIC}/task_get/advanced/${id}`, undefined, Serp, caller)
      return rankIn(serp, domain)
    },
  },

  async volumes(keywords, market, caller) {
    const asked = new Map(keywords.map((keyword) => [keyword, countable(keyword)]))
    const all = [...new Set(asked.values())].filter((keyword) => keyword !== null)
    const found = new Map<string, number | null>()
    for (let at = 0; at < all.length; at += VOLUME_BATCH) {
      const task = { keywords: all.slice(at, at + VOLUME_BATCH), ...place(market) }
      const rows = await orNothing(call('keywords_data/google_ads/search_volume/live', task, Volume, caller))
      for (const row of rows) found.set(row.keyword?.toLowerCase() ?? '', whole(row.search_volume))
    }
    return new Map([...asked].map(([keyword, sent]) => [keyword, found.get(sent ?? '') ?? null]))
  },

  async ideas(seed, market, caller) {
    const task = {
      keyword: written(seed),
      ...place(market),
      include_seed_keyword: true,
      include_serp_info: true,
      order_by: ['keyword_info.search_volume,desc'],
      limit: IDEAS,
    }
    const questions = {
      ...task,
      filters: ['keyword', 'regex', questionPattern(market.languageCode)],
      limit: QUESTION_IDEAS,
    }
    const [[all], [asked]] = await Promise.all([
      orNothing(call(SUGGESTIONS, task, Suggestions, caller)),
      orNothing(call(SUGGESTIONS, questions, Suggestions, caller)),
    ])
    const ideas = new Map(
      [...(asked?.items ?? []), ...(all?.items ?? [])].map((info) => [info.keyword, info]),
    )
    const known = all?.seed_keyword_data ?? ideas.get(seed)
    ideas.delete(seed)
    return {
      seed: { ...metric(known ?? {}), keyword: seed },
      ideas: [...ideas.values()].map(metric).filter(({ keyword }) => keyword !== ''),
    }
  },

  async locations(caller) {
    const rows = await call('serp/google/locations', undefined, Location, caller)
    return rows.flatMap(({ location_code: code, location_name: name, ...row }) =>
      code && name
        ? {
            location_code: code,
            location_name: name,
            location_code_parent: row.location_code_parent ?? null,
            country_iso_code: row.country_iso_code ?? '',
            location_type: row.location_type ?? '',
          }
        : [],
    )
  },

  async languages(caller) {
    const rows = await call('serp/google/languages', undefined, Language, caller)
    return rows.flatMap(({ language_code: code, language_name: name }) =>
      code && name ? { code, name } : [],
    )
  },
}

function search({ keyword, market, domain }: { keyword: string; market: Market; domain: string }) {
  return {
    keyword: written(keyword),
    ...place(market),
    device: 'desktop',
    depth: DEPTH,
    // Pages after the one with the match are neither crawled nor billed.
    stop_crawl_on_match: [{ match_value: domain, match_type: 'with_subdomains' }],
    find_targets_in: ['organic'],
  }
}

function rankIn(serp: z.output<typeof Serp> | undefined, domain: string): Rank {
  const organic = (serp?.items ?? []).filter(({ type }) => type === 'organic')
  if (organic.length === 0) throw new UpstreamFault('empty', 'no organic results')
  const at = organic.findIndex((item) => isOn(domain, item.url ?? `https://${item.domain}`))
  const position = organic[at]?.rank_group || at + 1
  return at < 0 || position > DEPTH
    ? { position: null, url: null }
    : { position, url: organic[at]?.url ?? null }
}

/** No data is an answer, too. */
async function orNothing<T>(asked: Promise<T[]>): Promise<T[]> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof UpstreamFault && error.kind === 'empty') return []
    throw error
  }
}

const place = ({ locationCode, languageCode }: Market) => ({
  location_code: locationCode,
  language_code: languageCode,
})

/** The vendor decodes percent signs and pluses in a keyword. */
const written = (keyword: string) => keyword.replaceAll('%', '%25').replaceAll('+', '%2B')

/** A keyword as Google Ads takes it, which refuses a whole call for one sign it does not know; null when it cannot be. */
function countable(keyword: string): string | null {
  const plain = keyword
    .replaceAll(/[^\p{L}\p{M}\p{N}&'.:/#$_-]+/gu, ' ')
    .trim()
    .toLowerCase()
  const words = plain.split(' ')
  return plain && plain.length <= VOLUME_LENGTH && words.length <= VOLUME_WORDS ? plain : null
}

const whole = (number: number | null | undefined) => (typeof number === 'number' ? Math.round(number) : null)

function metric(info: z.output<typeof KeywordDataInfo>): Metric {
  const { keyword_info: known, keyword_properties: properties } = info
  return {
    keyword: info.keyword ?? '',
    search_volume: whole(known?.search_volume),
    cpc: known?.cpc ?? null,
    competition: known?.competition ?? null,
    competition_level: known?.competition_level ?? null,
    difficulty: whole(properties?.keyword_difficulty),
    intent: info.search_intent_info?.main_intent ?? null,
    monthly_searches: (known?.monthly_searches ?? []).flatMap(({ year, month, search_volume }) =>
      typeof year === 'number' && typeof month === 'number'
        ? { year, month, search_volume: whole(search_volume) }
        : [],
    ),
    serp_features: info.serp_info?.serp_item_types ?? [],
  }
}
