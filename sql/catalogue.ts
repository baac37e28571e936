import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

export const Location = z.object({
  location_code: z.int(),
  location_name: z.string(),
  location_code_parent: z.int().nullable(),
  country_iso_code: z.string(),
  location_type: z.string(),
})
export type Location = z.output<typeof Location>
export const Language = z.object({ code: z.string(), name: z.string() })
export type Language = z.output<typeof Language>

const Age = z.object({ age: z.number().nullable() })

/** Seconds since a part of the catalogue was loaded; null when it never was. */
export async function ageOf(name: 'locations' | 'languages', on: Executor = db()): Promise<number | null> {
  const row = await on.maybeOne(sql.type(Age)`
    select extract(epoch from now() - loaded_at)::float8 as age from catalogue_loads where name = ${name}`)
  return row?.age ?? null
}

/**
 * Locations whose name contains `text`, those that begin with it first: countries, or with `country` (ISO 3166-1
 * alpha-2) the places inside it.
 */
export async function findLocations(
  { text, country, limit }: { text: string; country: string; limit: number },
  on: Executor = db(),
) {
  const pattern = text.replaceAll(/[\\%_]/g, '\\$&')
  const where = country
    ? sql.fragment`country_iso_code = ${country.toUpperCase()} and location_type <> 'Country'`
    : sql.fragment`location_type = 'Country'`
  return await on.any(sql.type(Location)`
    select location_code, location_name, location_code_parent, country_iso_code, location_type from locations
     where ${where} and location_name ilike ${`%${pattern}%`}
     order by location_name not ilike ${`${pattern}%`}, location_name, location_code limit ${limit}`)
}

const Code = z.object({ location_code: z.int() })

/** The country a place lies in, for sources that know countries alone; the place itself when it is not known. */
export async function countryOf(locationCode: number, on: Executor = db()): Promise<number> {
  const row = await on.maybeOne(sql.type(Code)`
    select c.location_code from locations l
      join locations c on c.country_iso_code = l.country_iso_code and c.location_type = 'Country'
     where l.location_code = ${locationCode} limit 1`)
  return row?.location_code ?? locationCode
}

/** Languages with exactly this code, or whose name contains the text. */
export async function findLanguages(text: string, on: Executor = db()) {
  const pattern = text.replaceAll(/[\\%_]/g, '\\$&')
  return await on.any(sql.type(Language)`
    select code, name from languages
     where ${text === ''} or lower(code) = ${text.toLowerCase()} or name ilike ${`%${pattern}%`} order by name, code`)
}

const State = z.object({ is_fresh: z.boolean(), is_mine: z.boolean() })

/**
 * Begins to load a part of the catalogue, for at most `seconds`, unless it was loaded within `olderThan` seconds
 * (`is_fresh`) or somebody else is at it (not `is_mine`).
 */
export async function beginLoad(
  name: 'locations' | 'languages',
  { olderThan, seconds }: { olderThan: number; seconds: number },
  on: Executor = db(),
) {
  return await on.one(sql.type(State)`
    with known as (
      select loaded_at > now() - make_interval(secs => ${olderThan}) as fresh from catalogue_loads where name = ${name}
    ), taken as (
      insert into catalogue_loads as c (name, loading_until)
      select ${name}, now() + make_interval(secs => ${seconds})
       where not exists (select from known where fresh)
      on conflict (name) do update set loading_until = excluded.loading_until
        where c.loading_until is null or c.loading_until < now()
      returning name
    )
    select exists (select from known where fresh) as is_fresh, exists (select from taken) as is_mine`)
}

/** Another may try at once. */
export async function breakOffLoad(name: 'locations' | 'languages', on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update catalogue_loads set loading_until = null where name = ${name}`)
}

/** Puts what was loaded in place of what there was. */
export async function replaceLocations(locations: readonly Location[]) {
  await db().transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`delete from locations`)
    await tx.query(sql.typeAlias('void')`
    insert into locations (location_code, location_name, location_code_parent, country_iso_code, location_type)
    select * from ${sql.unnest(
      locations.map((l) => [
        l.location_code,
        l.location_name,
        l.location_code_parent,
        l.country_iso_code,
        l.location_type,
      ]),
      ['int4', 'text', 'int4', 'text', 'text'],
    )} on conflict do nothing`)
    await loaded('locations', tx)
  })
}

export async function replaceLanguages(languages: readonly Language[]) {
  await db().transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`delete from languages`)
    await tx.query(sql.typeAlias('void')`
    insert into languages (code, name)
    select * from ${sql.unnest(
      languages.map(({ code, name }) => [code, name]),
      ['text', 'text'],
    )} on conflict do nothing`)
    await loaded('languages', tx)
  })
}

async function loaded(name: 'locations' | 'languages', on: Executor) {
  await on.query(sql.typeAlias('void')`
    insert into catalogue_loads (name, loaded_at) values (${name}, now())
    on conflict (name) do update set loaded_at = excluded.loaded_at, loading_until = null`)
}
