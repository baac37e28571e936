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

const HOUR = 3600
/** How old a part of the catalogue may grow, seconds; a little less than what the clock reloads it after. */
const FRESH = { locations: 7 * 24 * HOUR - HOUR, languages: 24 * HOUR - HOUR }
export type CatalogueName = keyof typeof FRESH

const Age = z.object({ is_fresh: z.boolean() })

/** Whether a part of the catalogue was loaded, and not too long ago. */
export async function stateOf(
  name: CatalogueName,
  on: Executor = db(),
): Promise<'absent' | 'stale' | 'fresh'> {
  const row = await on.maybeOne(sql.type(Age)`
    select loaded_at > now() - make_interval(secs => ${FRESH[name]}) as is_fresh
      from catalogue_loads where name = ${name} and loaded_at is not null`)
  if (!row) return 'absent'
  return row.is_fresh ? 'fresh' : 'stale'
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
  const columns = sql.fragment`
    location_code, location_name, location_code_parent, country_iso_code, location_type`
  // Apart, so that each is read in the order of an index and only as far as needed.
  return await on.any(sql.type(Location)`
    with beginning as (
      select ${columns} from locations where ${where} and location_name ilike ${`${pattern}%`}
       order by location_name, location_code limit ${limit}
    ), inside as (
      select ${columns} from locations where ${where} and ${text !== ''}
         and location_name ilike ${`%${pattern}%`} and location_name not ilike ${`${pattern}%`}
       order by location_name, location_code limit ${limit}
    )
    select ${columns} from (select *, 1 as part from beginning union all select *, 2 from inside) found
     order by part, location_name, location_code limit ${limit}`)
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
 * Begins to load a part of the catalogue, for at most `seconds`, unless it is fresh (`is_fresh`) or somebody else is at
 * it (not `is_mine`).
 */
export async function beginLoad(name: CatalogueName, seconds: number, on: Executor = db()) {
  return await on.one(sql.type(State)`
    with known as (
      select loaded_at > now() - make_interval(secs => ${FRESH[name]}) as fresh from catalogue_loads where name = ${name}
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
export async function breakOffLoad(name: CatalogueName, on: Executor = db()) {
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

async function loaded(name: CatalogueName, on: Executor) {
  await on.query(sql.typeAlias('void')`
    insert into catalogue_loads (name, loaded_at) values (${name}, now())
    on conflict (name) do update set loaded_at = excluded.loaded_at, loading_until = null`)
}
