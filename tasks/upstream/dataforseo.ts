import type { z } from 'zod'

import { questionPattern } from '../keywords/questions.ts'
import { call, post } from './dataforseo/call.ts'
import { KeywordDataInfo, Language, Location, Ready, Serp, Suggestions, Volume } from './dataforseo/wire.ts'
import { UpstreamFault } from './fault.ts'
import type { KeywordData, Market, Metric, Rank } from './keyword-data.ts'

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
        id: code === TASK_CREATED ? (id ?? null) : null,
        refusal: code === TASK_CREATED ? null : `${code} ${message}`,
      }))
    },
    async ready(caller) {
      const rows = await call(`${ORGANIC}/tasks_ready`, undefined, Ready, caller)
      return rows.map(({ id, tag }) => ({ id, tag: tag ?? '' }))
    },
    async collect(id, domain, caller) {
      const [serp] = await call(`${ORGANIC}/task_get/advanced/${id}`, undefined, Serp, caller)
      return rankIn(serp, domain)
    },
  },

  async volumes(keywords, market, caller) {
    const volumes = new Map<string, number | null>()
    const accepted = keywords.filter(isCountable)
    for (let at = 0; at < accepted.length; at += VOLUME_BATCH) {
      const batch = accepted.slice(at, at + VOLUME_BATCH)
      const task = { keywords: batch, ...place(market) }
      const rows = await call('keywords_data/google_ads/search_volume/live', task, Volume, caller)
      const found = new Map(rows.map((row) => [row.keyword?.toLowerCase() ?? '', row.search_volume ?? null]))
      for (const keyword of batch) volumes.set(keyword, found.get(keyword.toLowerCase()) ?? null)
    }
    return volumes
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
      call(SUGGESTIONS, task, Suggestions, caller),
      call(SUGGESTIONS, questions, Suggestions, caller),
    ])
    const ideas = new Map(
      [...(asked?.items ?? []), ...(all?.items ?? [])].map((info) => [info.keyword, info]),
    )
    ideas.delete(seed)
    const known = all?.seed_keyword_data ?? all?.items?.find(({ keyword }) => keyword === seed)
    return {
      seed: { ...metric(known ?? {}), keyword: seed },
      ideas: [...ideas.values()].map(metric).filter(({ keyword }) => keyword !== ''),
    }
  },

  async locations(caller) {
    const rows = await call('serp/google/locations', undefined, Location, caller)
    return rows.map((row) => ({
      location_code: row.location_code,
      location_name: row.location_name,
      location_code_parent: row.location_code_parent ?? null,
      country_iso_code: row.country_iso_code ?? '',
      location_type: row.location_type ?? '',
    }))
  },

  async languages(caller) {
    const rows = await call('serp/google/languages', undefined, Language, caller)
    return rows.map(({ language_code: code, language_name: name }) => ({ code, name }))
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
  const found = organic.find((item) => isOn(domain, item.url, item.domain) && (item.rank_group ?? 0) > 0)
  return { position: found?.rank_group ?? null, url: found?.url ?? null }
}

const place = ({ locationCode, languageCode }: Market) => ({
  location_code: locationCode,
  language_code: languageCode,
})

/** The vendor decodes percent signs and pluses in a keyword. */
const written = (keyword: string) => keyword.replaceAll('%', '%25').replaceAll('+', '%2B')

const isCountable = (keyword: string) =>
  keyword.length <= VOLUME_LENGTH && keyword.split(/\s+/).length <= VOLUME_WORDS

/** Whether a result lies on the domain or below it. */
function isOn(domain: string, url: string | null | undefined, host: string | null | undefined) {
  const name = URL.parse(url ?? '')?.hostname ?? host ?? ''
  return name === domain || name.endsWith(`.${domain}`)
}

function metric(info: z.output<typeof KeywordDataInfo>): Metric {
  const { keyword_info: known, keyword_properties: properties } = info
  return {
    keyword: info.keyword ?? '',
    search_volume: known?.search_volume ?? null,
    cpc: known?.cpc ?? null,
    competition: known?.competition ?? null,
    competition_level: known?.competition_level ?? null,
    difficulty: properties?.keyword_difficulty ?? null,
    intent: info.search_intent_info?.main_intent ?? null,
    monthly_searches: (known?.monthly_searches ?? []).flatMap(({ year, month, search_volume }) =>
      typeof year === 'number' && typeof month === 'number'
        ? { year, month, search_volume: search_volume ?? null }
        : [],
    ),
    serp_features: info.serp_info?.serp_item_types ?? [],
  }
}
