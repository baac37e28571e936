import { z } from 'zod'

import { Problem } from '../../problem.ts'
import * as catalogue from '../../sql/catalogue.ts'
import { ask, canSource, enqueue } from '../../tasks/jobs.ts'
import { log } from '../../telemetry.ts'
import { array, endpoint } from '../endpoint.ts'
import { clampedQuery, word } from '../fields.ts'
import { commonLanguages } from './languages.ts'

const LIMIT = 100
const MAX_LIMIT = 500
/** The first caller waits for the whole list. */
const LOAD_SECONDS = 150
const LANGUAGES_SECONDS = 10

const Location = catalogue.Location.meta({ id: 'Location' })
const Language = catalogue.Language.meta({ id: 'Language' })

export const catalogueEndpoints = [
  endpoint({
    method: 'get',
    path: '/locations',
    summary: 'Find locations',
    description: 'Countries, or the places of one `country`.',
    query: z.object({
      q: word.meta({ description: 'Part of the name.' }),
      country: word.meta({ description: 'ISO 3166-1 alpha-2.' }),
      limit: clampedQuery(1, MAX_LIMIT, LIMIT),
    }),
    reply: array(Location, {
      location_code: 2380,
      location_name: 'Italy',
      location_code_parent: null,
      country_iso_code: 'IT',
      location_type: 'Country',
    }),
    problems: ['no_datasource', 'upstream_failed'],
    async handle({ query: { q: text, country, limit } }) {
      if (!canSource('locations')) throw new Problem('no_datasource')
      await provide('locations', LOAD_SECONDS)
      return await catalogue.findLocations({ text, country, limit })
    },
  }),
  endpoint({
    method: 'get',
    path: '/languages',
    summary: 'Find languages',
    query: z.object({ q: word.meta({ description: 'Part of the name, or the exact code.' }) }),
    reply: array(Language, { code: 'it', name: 'Italian' }),
    async handle({ query: { q: text } }) {
      if (await isThere()) return await catalogue.findLanguages(text)
      const wanted = text.toLowerCase()
      return commonLanguages.filter(
        ({ code, name }) => code.toLowerCase() === wanted || name.toLowerCase().includes(wanted),
      )
    },
  }),
]

/** Loads what was never loaded; what has grown old is answered as it is, and loaded for the next. */
async function provide(name: catalogue.CatalogueName, seconds: number) {
  const state = await catalogue.stateOf(name)
  if (state === 'absent') await ask('catalogue.load', { name }, { within: seconds })
  if (state === 'stale') await enqueue('catalogue.load', { name }, { key: `catalogue.load:${name}` })
}

/** Whether the source's own list of languages is there; it never matters why not. */
async function isThere() {
  try {
    if (!canSource('languages')) return (await catalogue.stateOf('languages')) !== 'absent'
    await provide('languages', LANGUAGES_SECONDS)
    return true
  } catch (error) {
    log.warn({ err: error }, 'languages could not be loaded; the built-in list is answered')
    return false
  }
}
