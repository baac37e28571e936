import { createHash } from 'node:crypto'

import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import { seal, unseal } from './secrets.ts'

const VALID_MINUTES = 10

const Used = z.object({ id: z.int(), account: z.string() })

/** Notes that a user was sent to Google with a state, which is good once and for ten minutes. */
export async function openConsent(userId: number, state: string, verifier: string, on: Executor = db()) {
  const hash = hashOf(state)
  await on.query(sql.typeAlias('void')`
    insert into external_consents (user_id, state_hash, verifier, expires_at)
    values (${userId}, ${sql.binary(hash)}, ${seal(verifier, placeOf(hash))},
            now() + make_interval(mins => ${VALID_MINUTES}))`)
}

/**
 * Uses up a state, and keeps the code it came back with; returns the account that is for. Null when it is none, or was
 * used, or is too old.
 */
export async function useConsent(state: string, code: string | null, on: Executor = db()) {
  const hash = hashOf(state)
  return await on.maybeOne(sql.type(Used)`
    update external_consents c set used = true, code = ${code && seal(code, placeOf(hash))} from users u
     where c.state_hash = ${sql.binary(hash)} and not c.used and c.expires_at > now() and u.id = c.user_id
    returning c.id, u.email as account`)
}

const Consent = z.object({
  user_id: z.int(),
  state_hash: z.instanceof(Buffer),
  verifier: z.string(),
  code: z.string(),
})

/** A consent whose code is to be exchanged. */
export async function findConsent(id: number, on: Executor = db()) {
  const row = await on.maybeOne(sql.type(Consent)`
    select user_id, state_hash, verifier, code from external_consents where id = ${id} and code is not null`)
  if (!row) return null
  const place = placeOf(row.state_hash)
  return { userId: row.user_id, verifier: unseal(row.verifier, place), code: unseal(row.code, place) }
}

export async function closeConsent(id: number, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`delete from external_consents where id = ${id}`)
}

const hashOf = (state: string) => createHash('sha256').update(state).digest()
const placeOf = (hash: Buffer) => `external_consents:${hash.toString('hex')}`
