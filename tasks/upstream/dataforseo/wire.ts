import { z } from 'zod'

/** Any field can be null; what is not named is dropped. DataForSEO v3. */
const text = z.string().nullish()
const number = z.number().nullish()

export const Envelope = z.object({
  status_code: z.number(),
  status_message: text,
  tasks: z
    .array(
      z.object({
        id: text,
        status_code: z.number(),
        status_message: text,
        cost: number,
        data: z.object({ tag: text }).nullish(),
        result: z.array(z.unknown()).nullish(),
      }),
    )
    .nullish(),
})

export const Serp = z.object({
  items: z.array(z.object({ type: text, rank_group: number, domain: text, url: text })).nullish(),
})

export const Ready = z.object({ id: z.string(), tag: text })

/** A row of `google_ads/search_volume`. */
export const Volume = z.object({ keyword: text, search_volume: number })

export const KeywordDataInfo = z.object({
  keyword: text,
  keyword_info: z
    .object({
      search_volume: number,
      cpc: number,
      competition: number,
      competition_level: text,
      monthly_searches: z.array(z.object({ year: number, month: number, search_volume: number })).nullish(),
    })
    .nullish(),
  keyword_properties: z.object({ keyword_difficulty: number }).nullish(),
  search_intent_info: z.object({ main_intent: text }).nullish(),
  serp_info: z.object({ serp_item_types: z.array(z.string()).nullish() }).nullish(),
})

export const Suggestions = z.object({
  seed_keyword_data: KeywordDataInfo.nullish(),
  items: z.array(KeywordDataInfo).nullish(),
})

export const Location = z.object({
  location_code: z.int(),
  location_name: z.string(),
  location_code_parent: number,
  country_iso_code: text,
  location_type: text,
})

export const Language = z.object({ language_name: z.string(), language_code: z.string() })
