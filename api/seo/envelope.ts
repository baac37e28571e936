import { z } from 'zod'

import { problems } from '../../problem.ts'
import type { Envelope } from '../mount.ts'
import { type Locale, titlesOf } from '../titles.ts'

const Meta = z
  .object({
    page: z.int().meta({ description: 'Page shown, from 1.' }),
    per_page: z.int().meta({ description: 'Records on a page.' }),
    total_results: z.int().meta({ description: 'Records in all.' }),
    total_pages: z.int().meta({ description: 'Pages in all.' }),
  })
  .meta({ id: 'Meta' })

const Errors = z
  .object({
    errors: z
      .array(
        z.object({
          title: z.string().meta({ description: "Text for people, in the account's language." }),
          status: z.string().meta({ description: 'The HTTP status.' }),
        }),
      )
      .min(1),
  })
  .meta({ id: 'Errors' })

/** The SEO suite's answers: `{data}`, `{data, meta}` and `{errors}`. */
export const envelope: Envelope = {
  success: (data, meta) => (meta ? { data, meta } : { data }),
  successSchema: (data, paged, more) =>
    paged ? z.object({ data, meta: more ? Meta.extend(more.shape) : Meta }) : z.object({ data }),
  status: (key) => problems[key],
  failure: (problem, locale: Locale) => {
    const status = String(problem.status)
    return { errors: titlesOf(problem, locale).map((title) => ({ title, status })) }
  },
  failureSchema: Errors,
}
