import { type Brand, owns } from './brands.ts'

/** Where a text names a brand. */
export type Mention = { brand: Brand; from: number; to: number }

/** Host names as texts have them, with a mailbox before or a path behind. */
const HOSTS =
  /(?<![\p{L}\p{N}._%+@-])(?:[\p{L}\p{N}._%+-]{1,64}@)?((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,10}\p{L}{2,63})(?![\p{L}\p{N}-])(?:\/[^\s)\]|*]*)?/gu

/**
 * Where a folded text names any of the brands, in order. A host that is written out names who owns it and nobody else,
 * and of two names that overlap the longer one is meant.
 */
export function mentionsIn(text: string, brands: readonly Brand[]): Mention[] {
  const found: Mention[] = []
  const rest = text.replace(HOSTS, (whole, host: string, from: number) => {
    const owners = brands.filter((brand) => owns(brand, host.replace(/^www\./, '')))
    for (const brand of owners) found.push({ brand, from, to: from + whole.length })
    return ' '.repeat(whole.length)
  })
  for (const brand of brands)
    for (const { 0: name, index } of rest.matchAll(brand.pattern))
      if (name) found.push({ brand, from: index, to: index + name.length })
  let widest: Mention | undefined
  return found
    .toSorted((a, b) => a.from - b.from || b.to - a.to)
    .filter((one) => {
      const isSame = one.from === widest?.from && one.to === widest.to
      const isWithin = !isSame && widest !== undefined && one.to <= widest.to
      if (!isWithin) widest = one
      return !isWithin
    })
}
