import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import { seal, sealedBy, unseal } from './secrets.ts'

const BATCH = 500

/** Every column of seals that last, and the place they are sealed for, but for their user. */
const columns = [
  { table: 'alert_channels', column: 'target', place: 'alert_channels.target' },
  { table: 'alert_channels', column: 'secret', place: 'alert_channels.secret' },
  { table: 'alert_channels', column: 'old_secret', place: 'alert_channels.secret' },
  { table: 'external_connections', column: 'refresh_token', place: 'external_connections.refresh_token' },
  { table: 'external_connections', column: 'access_token', place: 'external_connections.access_token' },
  { table: 'external_revocations', column: 'refresh_token', place: 'external_connections.refresh_token' },
]
type Column = (typeof columns)[number]

/** Seals anew, under `SECRET_KEY`, what was sealed under the key before; returns how many seals. Others may write meanwhile. */
export async function rotateSecrets(): Promise<number> {
  let rotated = 0
  for (const column of columns)
    for (let rows = await outdated(column); rows.length > 0; rows = await outdated(column)) {
      await replace(column, rows)
      rotated += rows.length
    }
  return rotated
}

const Row = z.object({ id: z.int(), user_id: z.int(), sealed: z.string() })
type Row = z.output<typeof Row>

async function outdated({ table, column }: Column, on: Executor = db()): Promise<readonly Row[]> {
  const sealed = sql.identifier([column])
  return await on.any(sql.type(Row)`
    select id, user_id, ${sealed} as sealed from ${sql.identifier([table])}
     where not starts_with(${sealed}, ${`${sealedBy()}.`}) order by id limit ${BATCH}`)
}

/** Leaves alone what has changed since it was read. */
async function replace({ table, column, place }: Column, rows: readonly Row[], on: Executor = db()) {
  const fresh = rows.map(({ id, user_id: userId, sealed }) => {
    const where = `${place}:${userId}`
    return [id, sealed, seal(unseal(sealed, where), where)]
  })
  const name = sql.identifier([column])
  await on.query(sql.typeAlias('void')`
    update ${sql.identifier([table])} t set ${name} = fresh.sealed
      from ${sql.unnest(fresh, ['int8', 'text', 'text'])} as fresh (id, old, sealed)
     where t.id = fresh.id and t.${name} = fresh.old`)
}
