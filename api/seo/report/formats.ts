import type { Locale } from '../../titles.ts'

const tongues = { it: 'it-IT', en: 'en-GB' } satisfies Record<Locale, string>

/** Numbers and times as people of a locale write them. */
export function formatsOf(locale: Locale) {
  const tongue = tongues[locale]
  const whole = new Intl.NumberFormat(tongue, { useGrouping: true })
  const exact = new Intl.NumberFormat(tongue, { maximumFractionDigits: 2 })
  const date = new Intl.DateTimeFormat(tongue, { dateStyle: 'long', timeZone: 'UTC' })
  const moment = new Intl.DateTimeFormat(tongue, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  const unit = (name: string, digits = 0) => {
    const format = new Intl.NumberFormat(tongue, { style: 'unit', unit: name, maximumFractionDigits: digits })
    return (value: number) => format.format(value)
  }
  const [kilobytes, megabytes, seconds, minutes, ms] = [
    unit('kilobyte', 1),
    unit('megabyte', 1),
    unit('second'),
    unit('minute'),
    unit('millisecond'),
  ]
  return {
    number: (value: number) => whole.format(value),
    exact: (value: number) => exact.format(value),
    date: (at: number) => date.format(at),
    /** To the minute, in UTC. */
    moment: (at: number) => `${moment.format(at)} UTC`,
    bytes: (value: number) => (value < 1e6 ? kilobytes(value / 1e3) : megabytes(value / 1e6)),
    milliseconds: (value: number | null) => (value === null ? '–' : ms(value)),
    duration: (value: number) => {
      const all = Math.round(value / 1000)
      return all < 60 ? seconds(all) : `${minutes(Math.floor(all / 60))} ${seconds(all % 60)}`
    },
  }
}
export type Formats = ReturnType<typeof formatsOf>
