import { z } from 'zod'

// Protocol Buffers as JSON (https://protobuf.dev/programming-guides/json): what is zero or empty may be left out, and
// numbers may be texts.

export const listOf = <S extends z.ZodType>(schema: S) =>
  z
    .array(schema)
    .nullish()
    .transform((entries) => entries ?? [])

export const number = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((given) => Number(given ?? 0))
  .pipe(z.number())

export const text = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((given) => String(given ?? ''))
