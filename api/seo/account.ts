import { z } from 'zod'

import { hashKey, makeKey, maskKey } from '../../sql/keys.ts'
import { rotateKey } from '../../sql/users.ts'
import { endpoint, item } from '../endpoint.ts'

const MaskedKey = z.object({
  api_key_masked: z.string().nullable().meta({ description: 'First and last four characters of your key.' }),
})
const NewKey = z.object({ api_key: z.string().meta({ description: 'Your new key; it is shown only here.' }) })

const EXAMPLE_KEY = 'seo_0Fv3kq9ZsX1bTgJwY7uLhPcEaRd2i5nM8'

export const accountEndpoints = [
  endpoint({
    method: 'get',
    path: '/api-key',
    summary: 'Read the masked API key',
    reply: item(MaskedKey, { api_key_masked: maskKey(EXAMPLE_KEY) }),
    handle: async ({ user }) => ({ api_key_masked: user.keyMasked }),
  }),
  endpoint({
    method: 'post',
    path: '/api-key/rotate',
    summary: 'Rotate the API key',
    description: 'Puts a new key in place of the one you call with, which stops working at once.',
    reply: item(NewKey, { api_key: EXAMPLE_KEY }),
    async handle({ user }) {
      const key = makeKey()
      await rotateKey(user.id, { hash: hashKey(key), masked: maskKey(key) })
      return { api_key: key }
    },
  }),
]
