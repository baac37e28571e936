/** Where a keyword stood at a check and at the one before; null: not among the first 100. */
export type RankMove = {
  keywordId: number
  keyword: string
  projectId: number
  domain: string
  from: number | null
  to: number | null
}

/** Movements of fewer places are no news; the further down, the more a position wavers by itself. */
const TIERS = [
  { until: 10, places: 3 },
  { until: 30, places: 5 },
  { until: 100, places: 10 },
] as const
const TOPS = [3, 10, 100] as const
const OUTSIDE = 101
/** Below the day between two checks, so that what falls every day is told every day. */
export const RANK_COOLDOWN_HOURS = 20

/** Whether a keyword moved so far that its owner is told. */
export function movement({ from, to }: RankMove): 'drop' | 'gain' | null {
  if (from === null || to === null) return from === to ? null : to === null ? 'drop' : 'gain'
  const least = TIERS.find(({ until }) => from <= until)?.places ?? OUTSIDE
  if (Math.abs(from - to) < least) return null
  return to > from ? 'drop' : 'gain'
}

/** The widest of the first 3, 10 and 100 that it left. */
export const topLeft = ({ from, to }: RankMove) =>
  TOPS.findLast((top) => (from ?? OUTSIDE) <= top && (to ?? OUTSIDE) > top) ?? null

/** The narrowest of the first 3, 10 and 100 that it entered. */
export const topEntered = ({ from, to }: RankMove) =>
  TOPS.find((top) => (to ?? OUTSIDE) <= top && (from ?? OUTSIDE) > top) ?? null

export const subjectOf = ({ keywordId }: RankMove) => `keyword:${keywordId}`
export const nameOf = ({ keyword, domain }: RankMove) => `"${keyword}" (${domain})`

export const detailsOf = ({ keywordId, keyword, projectId, domain, from, to }: RankMove) => ({
  project_id: projectId,
  keyword_id: keywordId,
  domain,
  keyword,
  from,
  to,
})

/** For the examples. */
export const moved = (from: number | null, to: number | null): RankMove => ({
  keywordId: 7,
  keyword: 'scarpe rosse',
  projectId: 3,
  domain: 'example.com',
  from,
  to,
})
