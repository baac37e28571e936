import type { Request } from 'express'
import { z } from 'zod'

import type { ProblemKey } from '../problem.ts'
import type { User } from '../sql/users.ts'

export type Context = {
  user: User
  /** What a list shows: one page, or the first 5,000 rows for CSV. */
  window: { limit: number; offset: number }
  request: Request
  /** The body as it was sent, for a `find` that needs to know before the rest is validated. */
  sent: Record<string, unknown>
}

type Kind = 'item' | 'list' | 'array' | 'archive' | 'html'

/** What an endpoint answers: the handler's result goes through `schema`, which drops what it does not name. */
export type Reply<K extends Kind = Kind, S extends z.ZodType = z.ZodType> = {
  kind: K
  status: 200 | 201
  schema: S
  example: z.output<S>
  /** What a list says in `meta` besides the paging. */
  meta?: { schema: z.ZodObject; example: Row }
}

/** One record. */
export const item = <S extends z.ZodType>(schema: S, example: z.output<S>): Reply<'item', S> => ({
  kind: 'item',
  status: 200,
  schema,
  example,
})

/** One new record, answered with 201. */
export const created = <S extends z.ZodType>(schema: S, example: z.output<S>): Reply<'item', S> => ({
  kind: 'item',
  status: 201,
  schema,
  example,
})

/** A page of records with `meta`, or all of them as CSV. */
export const list = <S extends z.ZodType>(
  schema: S,
  example: z.output<S>,
  meta?: NonNullable<Reply['meta']>,
): Reply<'list', S> => ({ kind: 'list', status: 200, schema, example, ...(meta && { meta }) })

/** A plain array of records, without `meta` and CSV. */
export const array = <S extends z.ZodType>(schema: S, example: z.output<S>): Reply<'array', S> => ({
  kind: 'array',
  status: 200,
  schema,
  example,
})

const Archive = z.union([
  z.object({ directory: z.string(), name: z.string() }),
  z.object({ location: z.string() }),
])
/** A file in a directory of ours, or the address it is to be had from. */
export type Archive = z.output<typeof Archive>

/** A ZIP file, or 302 to where it is. */
export const archive: Reply<'archive', typeof Archive> = {
  kind: 'archive',
  status: 200,
  schema: Archive,
  example: { directory: '/', name: 'archive.zip' },
}

/** A whole document for a browser. */
export const page = (): Reply<'html', z.ZodString> => ({
  kind: 'html',
  status: 200,
  schema: z.string(),
  example: '<!doctype html>…',
})

export type Page<T> = { rows: readonly T[]; total: number; meta?: Row }
export type Row = Record<string, unknown>

type Result<K extends Kind, S extends z.ZodType> = K extends 'list'
  ? Page<z.input<S>>
  : K extends 'array'
    ? readonly z.input<S>[]
    : z.input<S>

type Shaped<K extends Kind, S extends z.ZodType> = K extends 'item' | 'archive' | 'html'
  ? z.output<S>
  : readonly z.output<S>[]

export type Method = 'get' | 'post' | 'patch' | 'delete'

type Declared<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodType,
  K extends Kind,
  S extends z.ZodType,
  F,
> = {
  method: Method
  /** Express path below the base, such as `/keywords/:id`. */
  path: `/${string}`
  /** A short sentence; the operationId is made of it, so it is unique. */
  summary: string
  description?: string
  reply: Reply<K, S>
  params?: P
  query?: Q
  body?: B
  /** What it answers beyond 401, 429 and 500. */
  problems?: readonly ProblemKey[]
  /** Headers that its answer always has. */
  headers?: Record<string, string>
  /** Path below the base of what it created; without, its own path and the answer's `id`. */
  location?(answer: Shaped<K, S>): string
  /** Runs before the input is validated: a missing record is 404, and quotas are looked at, ahead of any 422. */
  find?(input: z.output<P> & Context): Promise<F | null | undefined>
  handle(
    input: z.output<P> & { query: z.output<Q>; body: z.output<B>; record: NonNullable<F> } & Context,
  ): Promise<Result<K, S>>
  /** The rows of `?format=csv`: an item has CSV only with this; a list has its records unless this says otherwise. */
  csv?(answer: Shaped<K, S>): readonly Row[]
}

/** An endpoint as those see it who serve or describe it: input and answers are unknown to them. */
export type Endpoint = {
  method: Method
  path: `/${string}`
  summary: string
  description?: string
  reply: Reply
  params: z.ZodObject
  query: z.ZodObject
  body: z.ZodType
  problems: readonly ProblemKey[]
  headers?: Record<string, string>
  location?: (answer: unknown) => string
  find?: (input: object) => Promise<unknown>
  handle: (input: object) => Promise<unknown>
  csv?: (answer: unknown) => readonly Row[]
}

const nothing = z.object({})

/** Declares one endpoint: its validation, its OpenAPI operation and its handler's types are all read from here. */
export function endpoint<
  K extends Kind,
  S extends z.ZodType,
  P extends z.ZodObject = typeof nothing,
  Q extends z.ZodObject = typeof nothing,
  B extends z.ZodType = typeof nothing,
  F = undefined,
>(declared: Declared<P, Q, B, K, S, F>): Endpoint {
  const whole: object = { params: nothing, query: nothing, body: nothing, problems: [], ...declared }
  return whole as Endpoint
}
