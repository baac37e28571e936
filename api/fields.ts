import { z } from 'zod'

/** Names are cut to this many code points. */
const NAME_LENGTH = 255
const YES = ['1', 'true', 'on', 'yes']
const NO = ['0', 'false', 'off', 'no', '']

/** An id in a path: what is not a positive integer names no record (404). */
export const id = z
  .string()
  .regex(/^[1-9]\d{0,15}$/)
  .transform(Number)
  .refine(Number.isSafeInteger)
  .meta({ override: asId, description: 'Id of the record.' })

/** A required id in a query or body: missing is 422, what is not a positive integer is 0, which names no record. */
export const reference = z
  .union([z.string().trim().min(1), z.number()])
  .transform((value) => {
    const number = /^\d+$/.test(String(value)) ? Number(value) : 0
    return Number.isSafeInteger(number) ? number : 0
  })
  .meta({ override: asId })

/** An integer in a query: unreadable is the default, out of range is the nearest bound; never an error. */
export const clampedQuery = <F extends number | null>(minimum: number, maximum: number, fallback: F) =>
  z
    .unknown()
    .optional()
    .transform((value): number | F => {
      const number = integer(Array.isArray(value) ? value.at(-1) : value)
      return number === undefined ? fallback : clamp(number, minimum, maximum)
    })
    .meta({ override: { type: 'integer', ...bounds(minimum, maximum), default: fallback } })

/** An integer in a query, of digits alone; anything else, and what is out of range, is refused. */
export const exactQuery = (minimum: number, maximum: number, fallback: number) =>
  z
    .string('must be given once')
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
    .default(fallback)
    .meta({ override: { type: 'integer', ...bounds(minimum, maximum), default: fallback } })

/** An integer in a body: absent or empty is the default, out of range the nearest bound, another type 422. */
export const clamped = <F extends number | undefined = undefined>(
  minimum: number,
  maximum: number,
  fallback?: F,
) =>
  z
    .unknown()
    .optional()
    .transform((value, context): number | F => {
      if (value === undefined || value === null || value === '') return fallback as F
      const number = integer(value)
      if (number !== undefined) return clamp(number, minimum, maximum)
      context.addIssue({ code: 'custom', message: 'integer' })
      return z.NEVER
    })
    .meta({
      override: {
        type: 'integer',
        ...bounds(minimum, maximum),
        ...(fallback === undefined ? {} : { default: fallback }),
      },
    })

/** A boolean: JSON's own, 1 and 0, true/false, on/off, yes/no in any case; empty and null are false; absent is the default. */
export const truthy = (fallback = false) => boolean(fallback)
/** The same without a default: absent is undefined. */
export const optionalTruthy = boolean(undefined)

function boolean<F extends boolean | undefined>(fallback: F) {
  return z
    .unknown()
    .optional()
    .transform((value, context): boolean | F => {
      if (value === undefined) return fallback
      const word = wordOf(value)
      if (word !== undefined && YES.includes(word)) return true
      if (word !== undefined && NO.includes(word)) return false
      context.addIssue({ code: 'custom', message: 'boolean' })
      return z.NEVER
    })
    .meta({ override: { type: 'boolean', ...(fallback === undefined ? {} : { default: fallback }) } })
}

/** Optional text: trimmed, cut to `length` code points; absent and null are empty; another type is 422. */
export const text = (length: number) =>
  z
    .string()
    .nullish()
    .transform((value) => cut((value ?? '').trim(), length))
    .meta({ override: { default: '' } })

/** Required text that is not blank: trimmed, cut to `length` code points. */
export const requiredText = (length: number) =>
  z
    .string()
    .transform((value) => cut(value.trim(), length))
    .pipe(z.string().min(1))
    .meta({ override: { type: 'string', minLength: 1 } })

export const name = requiredText(NAME_LENGTH)
export const optionalName = text(NAME_LENGTH)

/** One of `words`; anything else is the fallback. */
export const oneOf = <const W extends readonly string[]>(words: W, fallback: W[number]) =>
  z
    .unknown()
    .optional()
    .transform((value): W[number] => words.find((word) => word === value) ?? fallback)
    .meta({ override: { type: 'string', enum: [...words], default: fallback } })

/** A word in a query, trimmed: the last of many; empty when it is absent. */
export const word = z
  .unknown()
  .optional()
  .transform(
    (given) =>
      [given]
        .flat()
        .findLast((each) => typeof each === 'string')
        ?.trim() ?? '',
  )
  .meta({ override: { type: 'string' } })

/** Those of `words` that a comma list in a query names, in its order, each once; null when it is absent. */
export const someOf = <const W extends readonly string[]>(words: W, description: string) =>
  z
    .unknown()
    .optional()
    .transform((given): W[number][] | null => {
      if (given === undefined) return null
      const named = [given].flat().flatMap((each) => (typeof each === 'string' ? each.split(',') : []))
      const known = named.map((name) => words.find((word) => word === name.trim()))
      return [...new Set(known.filter((word) => word !== undefined))]
    })
    .meta({
      override: { type: 'string' },
      description: `${description} Comma list of ${words.join(', ')}; others are dropped.`,
      example: words[0],
    })

/** An answer's time: milliseconds since 1970 in, `Y-m-d H:i:s` UTC out. */
export const datetime = z
  .number()
  .transform((ms) => new Date(ms).toISOString().slice(0, 19).replace('T', ' '))
  .pipe(
    z.string().meta({
      pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$',
      description: 'UTC, Y-m-d H:i:s.',
      example: '2026-07-01 09:30:00',
    }),
  )

function wordOf(value: unknown): string | undefined {
  if (value === null) return ''
  if (typeof value === 'boolean' || typeof value === 'number') return String(value)
  return typeof value === 'string' ? value.trim().toLowerCase() : undefined
}

/** The first `length` code points; a pair of surrogates is never split. */
function cut(value: string, length: number) {
  return value.length <= length ? value : Array.from(value).slice(0, length).join('')
}

/** Described as the number it stands for, not as the text that carries it. */
function asId({ jsonSchema }: { jsonSchema: object }) {
  for (const key of ['anyOf', 'pattern']) Reflect.deleteProperty(jsonSchema, key)
  Object.assign(jsonSchema, { type: 'integer', minimum: 1 })
}

/** What PHP's cast makes of a number or a numeric string; undefined for all else. */
function integer(value: unknown): number | undefined {
  if (typeof value === 'number') return Math.trunc(value)
  if (typeof value !== 'string' || !/^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(value))
    return undefined
  return Math.trunc(Number(value))
}

function clamp(number: number, minimum: number, maximum: number) {
  return Math.min(Math.max(number, minimum), maximum)
}

function bounds(minimum: number, maximum: number) {
  return maximum > 2 ** 32 ? { minimum } : { minimum, maximum }
}
