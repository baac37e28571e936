import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import { seal, unseal } from './secrets.ts'

/** What a user may consent to, by what needs it. */
export const scopes = {
  'search-console': 'https://www.googleapis.com/auth/webmasters.readonly',
  analytics: 'https://www.googleapis.com/auth/analytics.readonly',
} as const

/** Google has been told by then, or never will be. */
const REVOCATION_DAYS = 30

const Connection = z.object({ id: z.int(), email: z.string().nullable(), scopes: z.array(z.string()) })
export type Connection = z.output<typeof Connection>

/**
 * The Google account a user has connected; null when none is. What is kept under its id (on delete cascade) is of this
 * account alone, if the id was read before the access token.
 */
export async function connectionOf(userId: number, on: Executor = db()): Promise<Connection | null> {
  return await on.maybeOne(sql.type(Connection)`
    select id, email, scopes from external_connections where user_id = ${userId}`)
}

/** What Google gave. */
export type Grant = {
  refreshToken: string
  scopes: readonly string[]
  email: string | null
  access?: Access | undefined
}
export type Access = { token: string; seconds: number }

const Id = z.object({ id: z.int() })

/** Connects an account in place of what was connected; returns the revocation of that, if there was any. */
export async function replaceConnection(userId: number, grant: Grant, on: Executor) {
  // One at a time: each is to find what the other made.
  await on.query(sql.type(Id)`select id from users where id = ${userId} for no key update`)
  const revocation = await removeConnection(userId, on)
  await on.query(sql.type(Id)`
    insert into external_connections (user_id, email, scopes, refresh_token, access_token, expires_at, renew_at)
    values (${userId}, ${grant.email}, ${sql.array([...grant.scopes], 'text')},
            ${seal(grant.refreshToken, place('refresh', userId))}, ${accessColumns(userId, grant.access)})`)
  return revocation
}

/** Disconnects, with all that was asked of the account; returns what is to be revoked, null when nothing is. */
export async function removeConnection(userId: number, on: Executor): Promise<number | null> {
  return await on.maybeOneFirst(sql.type(Id)`
    with gone as (
      delete from external_connections where user_id = ${userId} returning user_id, email, refresh_token
    )
    insert into external_revocations (user_id, email, refresh_token)
    select user_id, email, refresh_token from gone returning id`)
}

/** Google no longer honours the connection. */
export async function dropConnection(id: number, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`delete from external_connections where id = ${id}`)
}

const Tokens = z.object({
  id: z.int(),
  refresh_token: z.string(),
  access_token: z.string().nullable(),
  seconds_left: z.number(),
  is_due: z.boolean(),
  failed_at: z.number().nullable(),
  read_at: z.number(),
})

/** The tokens of a connection; `version` tells one access token from the next. */
export async function tokensOf(userId: number, on: Executor = db()) {
  const row = await on.maybeOne(sql.type(Tokens)`
    select id, refresh_token, access_token, failed_at, clock_timestamp() as read_at,
           coalesce(extract(epoch from expires_at - clock_timestamp()), 0)::float8 as seconds_left,
           coalesce(renew_at < clock_timestamp(), true) as is_due
      from external_connections where user_id = ${userId}`)
  if (!row) return null
  const { refresh_token: refresh, access_token: access } = row
  return {
    ...row,
    refreshToken: unseal(refresh, place('refresh', userId)),
    accessToken: access && unseal(access, place('access', userId)),
    version: access,
  }
}

/** Begins to get a new access token, for at most `seconds`; false when another does, or has. */
export async function beginRenewal(
  { id, version }: { id: number; version: string | null },
  seconds: number,
  on: Executor = db(),
): Promise<boolean> {
  const begun = await on.maybeOne(sql.type(Id)`
    update external_connections set renewing_until = clock_timestamp() + make_interval(secs => ${seconds})
     where id = ${id} and access_token is not distinct from ${version}
       and coalesce(renewing_until < clock_timestamp(), true)
    returning id`)
  return begun !== null
}

/** Keeps a new access token, and what else came with it. */
export async function endRenewal(
  id: number,
  userId: number,
  { access, refreshToken, scopes }: { access: Access } & Partial<Pick<Grant, 'refreshToken' | 'scopes'>>,
  on: Executor = db(),
) {
  await on.query(sql.typeAlias('void')`
    update external_connections
       set (access_token, expires_at, renew_at) = (select ${accessColumns(userId, access)}),
           refresh_token = coalesce(${refreshToken ? seal(refreshToken, place('refresh', userId)) : null}, refresh_token),
           scopes = coalesce(${scopes ? sql.array([...scopes], 'text') : null}, scopes),
           renewing_until = null, failed_at = null
     where id = ${id}`)
}

/** Another may try. After a failure, those who wait need not wait any longer. */
export async function breakOffRenewal(id: number, isFailure: boolean, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update external_connections
       set renewing_until = null, failed_at = case when ${isFailure} then clock_timestamp() else failed_at end
     where id = ${id}`)
}

const Revocation = z.object({ user_id: z.int(), refresh_token: z.string(), is_in_use: z.boolean() })

/**
 * The token to be revoked. Revoking ends all that an application holds of a Google account, so a token of one that is
 * connected again, or by another user too, is in use.
 */
export async function findRevocation(id: number, on: Executor = db()) {
  const row = await on.maybeOne(sql.type(Revocation)`
    select user_id, refresh_token, exists (
             select from external_connections c where lower(c.email) is not distinct from lower(r.email)
           ) as is_in_use
      from external_revocations r where id = ${id}`)
  return row && { isInUse: row.is_in_use, token: unseal(row.refresh_token, place('refresh', row.user_id)) }
}

export async function closeRevocation(id: number, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`delete from external_revocations where id = ${id}`)
}

const Counted = z.object({ rows: z.int() })

/** Consents that were not given, and revocations that Google never heard of. */
export async function sweepExternal(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with consents as (delete from external_consents where expires_at < now() returning 1),
    revocations as (
      delete from external_revocations
       where created_at < now() - make_interval(days => ${REVOCATION_DAYS}) returning 1
    )
    select (select count(*) from consents) + (select count(*) from revocations) as rows`)
}

/** Renewed when a tenth of its life is left. */
const accessColumns = (userId: number, access: Access | undefined) => {
  const seconds = access?.seconds ?? null
  return sql.fragment`${access ? seal(access.token, place('access', userId)) : null},
    clock_timestamp() + make_interval(secs => ${seconds}),
    clock_timestamp() + make_interval(secs => 0.9 * ${seconds}::float8)`
}

/** A token moves with its row from the connections to the revocations. */
const place = (token: 'access' | 'refresh', userId: number) => `external_connections.${token}_token:${userId}`
