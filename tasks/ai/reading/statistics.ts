/** Of the normal distribution, for 95 %. */
const Z = 1.959964

/**
 * Wilson's interval of a share at 95 %, in percent with one decimal; null without anything counted. Prompts are no random
 * sample and engines vary from day to day, so it is the least that two runs may differ by chance.
 */
export function wilson(successes: number, total: number): [number, number] | null {
  if (total === 0) return null
  const share = successes / total
  const spread = Z * Math.sqrt((share * (1 - share)) / total + Z ** 2 / (4 * total ** 2))
  const middle = share + Z ** 2 / (2 * total)
  const scale = 1 + Z ** 2 / total
  return [
    oneDecimal(Math.max(0, (100 * (middle - spread)) / scale)),
    oneDecimal(Math.min(100, (100 * (middle + spread)) / scale)),
  ]
}

/** Percent with one decimal; null of nothing. */
export const percent = (part: number, whole: number): number | null =>
  whole === 0 ? null : oneDecimal((100 * part) / whole)

export const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

export const oneDecimal = (value: number): number => Math.round(value * 10) / 10
export const twoDecimals = (value: number): number => Math.round(value * 100) / 100
