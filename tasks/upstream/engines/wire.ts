import { z } from 'zod'

/** Of what engines answer anything may be missing, or be of another type: it is as if it were not there. */
export const text = z.string().nullish().catch(null)
export const count = z.int32().min(0).nullish().catch(null)
export const amount = z.number().min(0).nullish().catch(null)

/** An object, empty when it is none. */
export const record = <S extends z.ZodRawShape>(shape: S) => z.looseObject({}).catch({}).pipe(z.object(shape))

/** The items that are what they should be. */
export const items = <S extends z.ZodType>(schema: S) =>
  z
    .array(z.unknown())
    .nullish()
    .catch(null)
    .transform((given) =>
      (given ?? []).flatMap((item) => {
        const read = schema.safeParse(item)
        return read.success ? [read.data] : []
      }),
    )
