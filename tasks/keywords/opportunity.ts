/** A volume of a million searches a month is as good as any larger one. */
const FULL_LOG_VOLUME = 6

/**
 * What a keyword is worth trying, 0 to 100 with one decimal: its volume on a logarithmic scale, where a million searches
 * a month is 100, less its difficulty in percent. Null when either is unknown.
 */
export function opportunityOf(metric: {
  search_volume: number | null
  difficulty: number | null
}): number | null {
  const { search_volume: volume, difficulty } = metric
  if (volume === null || difficulty === null) return null
  const demand = Math.min(1, Math.log10(1 + volume) / FULL_LOG_VOLUME)
  return Math.round(1000 * demand * (1 - difficulty / 100)) / 10
}
