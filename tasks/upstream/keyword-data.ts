import { z } from 'zod'

import type { Language, Location } from '../../sql/catalogue.ts'
import type { Caller } from './account.ts'
import type { UpstreamFault } from './fault.ts'

export type Market = { locationCode: number; languageCode: string }

/** Where a site stands in the organic results; null when it is not among the first 100. */
export type Rank = { position: number | null; url: string | null }

/** What is known of one keyword; monthly searches newest first, competition 0 to 1, cost per click in US dollars. */
export const Metric = z.object({
  keyword: z.string(),
  search_volume: z.int().nullable(),
  cpc: z.number().nullable(),
  competition: z.number().nullable(),
  competition_level: z.string().nullable(),
  difficulty: z.int().nullable(),
  intent: z.string().nullable(),
  monthly_searches: z.array(z.object({ year: z.int(), month: z.int(), search_volume: z.int().nullable() })),
  serp_features: z.array(z.string()),
})
export type Metric = z.output<typeof Metric>

/** A position asked for; `tag` comes back with the answer. */
export type Question = { tag: string; keyword: string; market: Market; domain: string }
/** Under which id the source took a question, or why it did not. */
export type Posted = { tag: string; upstreamId: string | null; refusal: UpstreamFault | null }

/** What we need of a source of keyword data. A source has the methods it can serve; every one throws `UpstreamFault`s. */
export type KeywordData = {
  name: string
  /** Where `domain`, or a host below it, first stands. */
  rank(keyword: string, market: Market, domain: string, caller: Caller): Promise<Rank>
  /** Monthly searches by keyword as it was given; keywords the source does not take are left out. */
  volumes?(keywords: readonly string[], market: Market, caller: Caller): Promise<Map<string, number | null>>
  /** The seed and ideas around it, questions among them; `market` is a country. */
  ideas?(seed: string, market: Market, caller: Caller): Promise<{ seed: Metric; ideas: Metric[] }>
  /** Positions that may take hours, and are cheaper. */
  queue?: {
    /** Asks for at most 100 positions in one call, which is never repeated. */
    post(questions: readonly Question[], caller: Caller): Promise<Posted[]>
    /** What has been answered and not been collected; also what others of the account asked. */
    ready(caller: Caller): Promise<{ id: string; tag: string }[]>
    /** One answer; a `pending` fault when it is not there yet. */
    collect(id: string, domain: string, caller: Caller): Promise<Rank>
  }
  locations?(caller: Caller): Promise<Location[]>
  languages?(caller: Caller): Promise<Language[]>
}

/** Whether an address lies on a domain or below it. */
export function isOn(domain: string, url: string | null | undefined): boolean {
  const host = URL.parse(url ?? '')?.hostname ?? ''
  return host === domain || host.endsWith(`.${domain}`)
}
