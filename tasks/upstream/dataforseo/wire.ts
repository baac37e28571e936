import { z } from 'zod'

/** Any field can be null, and any row; what is not named is dropped. DataForSEO v3. */
const text = z
  .string()
  // PostgreSQL holds neither.
  .transform((given) => given.replaceAll('\0', '').toWellFormed())
  .nullish()
const number = z.number().nullish()

/** The rows that are there. */
export const rowsOf = <S extends z.ZodType>(schema: S) =>
  z
    .array(schema.nullable())
    .nullish()
    .transform((rows) => (rows ?? []).filter((row) => row !== null))

export const Envelope = z.object({
  status_code: z.number(),
  status_message: text,
  tasks: rowsOf(
    z.object({
      id: text,
      status_code: z.number(),
      status_message: text,
      cost: number,
      data: z.object({ tag: text }).nullish(),
      result: z.array(z.unknown()).nullish(),
    }),
  ),
})

export const Serp = z.object({
  items: rowsOf(z.object({ type: text, rank_group: number, domain: text, url: text })),
})

export const Ready = z.object({ id: text, tag: text })

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
      monthly_searches: rowsOf(z.object({ year: number, month: number, search_volume: number })),
    })
    .nullish(),
  keyword_properties: z.object({ keyword_difficulty: number }).nullish(),
  search_intent_info: z.object({ main_intent: text }).nullish(),
  serp_info: z.object({ serp_item_types: rowsOf(z.string()) }).nullish(),
})

export const Suggestions = z.object({
  seed_keyword_data: KeywordDataInfo.nullish(),
  items: rowsOf(KeywordDataInfo),
})

export const Location = z.object({
  location_code: number,
  location_name: text,
  location_code_parent: number,
  country_iso_code: text,
  location_type: text,
})

export const Language = z.object({ language_name: text, language_code: text })
