import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  createPool,
  createSqlTag,
  createTypeParserPreset,
  type CommonQueryMethods,
  type DatabasePool,
  type Interceptor,
  SchemaValidationError,
} from 'slonik'
import { z } from 'zod'

import { log } from '../telemetry.ts'

/** The pool, or the transaction a caller holds: every statement in sql/ runs on either. */
export type Executor = CommonQueryMethods

export const sql = createSqlTag({ typeAliases: { void: z.object({}).strict() } })

/** int8 as a number: counts and ids stay far below 2^53, and JSON cannot carry a BigInt. */
function safeNumber(value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new RangeError(`int8 ${value} is beyond 2^53`)
  return number
}

/** Rows are checked synchronously: the asynchronous recipe costs 1.65 times as much on 1,000 rows. */
const checkRows: Interceptor = {
  name: 'check-rows',
  transformRow: ({ resultParser }, query, row) => {
    if (!resultParser) return row
    const checked = resultParser['~standard'].validate(row)
    if (checked instanceof Promise) throw new TypeError('row schemas are synchronous')
    if (checked.issues) throw new SchemaValidationError(query, row, checked.issues)
    return checked.value as typeof row
  },
}

let pool: DatabasePool | undefined
let url = ''

/** Connects; rejects when PostgreSQL is away. `statementTimeout` in milliseconds. */
export async function openPool(options: { url: string; size: number; statementTimeout?: number }) {
  url = options.url
  pool = await createPool(options.url, {
    maxPoolSize: options.size,
    minPoolSize: 1,
    idleTimeout: 30_000,
    statementTimeout: options.statementTimeout ?? 60_000,
    // DISCARD ALL after every release costs 30 %; nobody here sets session state outside a transaction.
    resetConnection: async () => {},
    captureStackTrace: false,
    interceptors: [checkRows],
    typeParsers: [
      ...createTypeParserPreset().filter(({ name }) => name !== 'int8'),
      { name: 'int8', parse: safeNumber },
    ],
  })
  // A failed statement is announced here too, but reaches whoever ran it.
  pool.on('error', (error) => {
    const lost =
      error instanceof BackendTerminatedError || error instanceof BackendTerminatedUnexpectedlyError
    log[lost ? 'error' : 'debug']({ err: error }, 'database connection failed')
  })
  return pool
}

/** The open pool; the default executor of every statement. */
export function db(): DatabasePool {
  if (!pool) throw new Error('the database pool is not open')
  return pool
}

/** Address of the open database, for connections that cannot come from the pool: LISTEN, the heartbeat. */
export function databaseUrl(): string {
  if (!pool) throw new Error('the database pool is not open')
  return url
}

export async function closePool() {
  await pool?.end()
  pool = undefined
}
