import type { FakeDataForSeo } from '../dataforseo.ts'
import { locations } from './catalogue.ts'

export type Refusal = { code: number; message: string }
type Task = Record<string, unknown>
export type Make = (task: Task, fake: FakeDataForSeo) => Refusal | { result: unknown[] }

const ORGANIC = 100

/** Wraps a maker of results in the vendor's own check of the task's fields. */
export const checked =
  (fields: Record<string, (value: unknown) => boolean>, make: Make): Make =>
  (task, fake) => {
    for (const [name, value] of Object.entries(task)) {
      // The vendor takes null for nothing.
      if (value === null) continue
      const isValid = fields[name]
      if (!isValid) return { code: 40506, message: `Unknown Fields in POST data: ${name}.` }
      if (!isValid(value)) return { code: 40501, message: `Invalid Field: '${name}'.` }
    }
    return make(task, fake)
  }

export const isText = (length: number) => (value: unknown) =>
  typeof value === 'string' && value.length > 0 && value.length <= length
export const isNumber = (most: number) => (value: unknown) =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most
export const isFlag = (value: unknown) => typeof value === 'boolean'
const isList = (most: number) => (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.length <= most
const isLocation = (value: unknown) => locations.some(({ location_code: code }) => code === value)
const isCountry = (value: unknown) =>
  locations.some(({ location_code: code, location_type: type }) => code === value && type === 'Country')
const isLanguage = (value: unknown) => typeof value === 'string' && /^[a-z]{2,3}(-[a-zA-Z]{2})?$/.test(value)
const areKeywords = (value: unknown) =>
  isList(1000)(value) &&
  (value as string[]).every(
    (word) =>
      word.length <= 80 && word.split(/\s+/).length <= 10 && !/[!@%^*()={};~`<>?\\|,+"]|\p{So}/u.test(word),
  )

/** What a search finds, asked live or by the queue. */
export const live = checked(
  {
    keyword: isText(700),
    location_code: isLocation,
    language_code: isLanguage,
    device: (value) => value === 'desktop' || value === 'mobile',
    depth: isNumber(200),
    stop_crawl_on_match: isList(10),
    find_targets_in: isList(10),
    tag: isText(255),
    priority: (value) => value === 1 || value === 2,
  },
  (task, fake) => {
    const keyword = decoded(String(task['keyword']))
    const rank = fake.ranks.get(keyword)
    if (rank?.position === 0) return { code: 40102, message: 'No Search Results.' }
    const items = organic(keyword, rank)
    // Crawled up to the page with the match.
    const last = rank && task['stop_crawl_on_match'] ? Math.ceil(rank.position / 10) * 10 : ORGANIC
    return {
      result: [
        {
          keyword,
          type: 'organic',
          se_domain: 'google.it',
          item_types: ['organic', 'people_also_ask', 'brand_new_type'],
          items_count: items.length,
          items: [
            { type: 'brand_new_type', rank_group: 1, rank_absolute: 1, anything: { at: ['all'] } },
            { type: 'paid', rank_group: 1, rank_absolute: 2, domain: rank?.domain ?? null, url: null },
            { type: 'people_also_ask', rank_group: 1, rank_absolute: 3, items: null },
            ...items.slice(0, last),
          ],
        },
      ],
    }
  },
)

function organic(keyword: string, rank: { domain: string; position: number } | undefined) {
  return Array.from({ length: ORGANIC }, (_, index) => {
    const place = index + 1
    const domain = place === rank?.position ? rank.domain : `www.site-${place}.example`
    return {
      type: 'organic',
      rank_group: place,
      rank_absolute: place + 3,
      page: Math.ceil(place / 10),
      domain,
      title: `${keyword} ${place}`,
      url: `https://${domain}/page-${place}`,
      description: null,
      links: null,
    }
  })
}

/** The vendor decodes percent signs and pluses. */
const decoded = (keyword: string) => decodeURIComponent(keyword.replaceAll('+', ' '))

const volume = checked(
  { keywords: areKeywords, location_code: isLocation, language_code: isLanguage },
  (task) => ({
    result: (task['keywords'] as string[]).map((keyword) => ({
      keyword: keyword.toLowerCase(),
      spell: null,
      competition: 'LOW',
      competition_index: 12,
      search_volume: volumeOf(keyword),
      cpc: null,
      monthly_searches: null,
    })),
  }),
)

/** Known to the tests: ten searches for each letter; none are known for a keyword that says so. */
export const volumeOf = (keyword: string) => (keyword.includes('unknown') ? null : keyword.length * 10)

const suggestions = checked(
  {
    keyword: isText(700),
    location_code: isCountry,
    language_code: isLanguage,
    include_seed_keyword: isFlag,
    include_serp_info: isFlag,
    order_by: isList(3),
    filters: isList(8),
    limit: isNumber(1000),
  },
  (task) => {
    const seed = decoded(String(task['keyword']))
    const [, , pattern] = (task['filters'] ?? []) as string[]
    const all = [...ideas(seed), ...questions(seed)].filter(
      ({ keyword }) => !pattern || new RegExp(pattern, 'u').test(keyword),
    )
    return {
      result: [
        {
          seed_keyword: seed,
          seed_keyword_data: seed.includes('unheard') ? null : info(seed, 1000, 50),
          total_count: all.length,
          items_count: all.length,
          items: all
            .toSorted((a, b) => b.keyword_info.search_volume - a.keyword_info.search_volume)
            .slice(0, Number(task['limit'] ?? 100)),
        },
      ],
    }
  },
)

const ideas = (seed: string) =>
  Array.from({ length: 120 }, (_, n) => info(`${seed} idea ${n}`, 10_000 - n * 50, n % 100))
const questions = (seed: string) =>
  Array.from({ length: 30 }, (_, n) => info(`come ${seed} ${n}`, 300 - n, 20))

function info(keyword: string, searches: number, difficulty: number) {
  return {
    se_type: 'google',
    keyword,
    keyword_info: {
      search_volume: searches,
      cpc: 1.05,
      competition: 0.5,
      competition_level: 'MEDIUM',
      categories: null,
      monthly_searches: [{ year: 2026, month: 10, search_volume: searches }],
    },
    clickstream_keyword_info: null,
    keyword_properties: { keyword_difficulty: difficulty, detected_language: null },
    serp_info: { serp_item_types: ['organic', 'people_also_ask'] },
    search_intent_info: { main_intent: 'commercial', foreign_intent: null },
  }
}

/** By path below `/v3/`. */
export const results: Record<string, Make> = {
  'serp/google/organic/live/advanced': live,
  'keywords_data/google_ads/search_volume/live': volume,
  'dataforseo_labs/google/keyword_suggestions/live': suggestions,
}
