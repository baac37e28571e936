/** Rounded half away from zero, as the number is written: 1.005 to two decimals is 1.01. */
export function rounded(value: number, decimals: number): number {
  return Math.sign(value) * scaled(Math.round(scaled(Math.abs(value), decimals)), -decimals)
}

/** A fraction in percent, rounded likewise. */
export function percentage(fraction: number, decimals: number): number {
  return rounded(scaled(fraction, 2), decimals)
}

/** A number times a power of ten, by its decimal digits: multiplying would lose some. */
function scaled(value: number, power: number): number {
  const [digits, exponent = '0'] = String(value).split('e')
  return Number(`${digits}e${Number(exponent) + power}`)
}
