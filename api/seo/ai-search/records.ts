import { z } from 'zod'

import { endpoint, item, list, type Row } from '../../endpoint.ts'
import { id } from '../../fields.ts'

type Window = { limit: number; offset: number }
/** The records of one module; a row is checked by the schema of the endpoint. */
type Store = {
  list(userId: number, window: Window): Promise<{ rows: readonly Row[]; total: number }>
  find(userId: number, id: number): Promise<Row | null>
}

/** The two endpoints that read a module's records. */
export function recordEndpoints(
  path: `/${string}`,
  words: { one: string; many: string },
  store: Store,
  listed: { schema: z.ZodType<Row>; example: Row },
  detail: { schema: z.ZodType<Row>; example: Row },
) {
  return [
    endpoint({
      method: 'get',
      path,
      summary: `List ${words.many}`,
      description: 'Newest first.',
      reply: list(listed.schema, listed.example),
      handle: ({ user, window }) => store.list(user.id, window),
    }),
    endpoint({
      method: 'get',
      path: `${path}/:id`,
      summary: `Read ${words.one}`,
      params: z.object({ id }),
      reply: item(detail.schema, detail.example),
      problems: ['not_found'],
      find: ({ id, user }) => store.find(user.id, id),
      handle: async ({ record }) => record,
    }),
  ]
}
