import { z } from 'zod'

import { config } from '../../config.ts'
import { type Endpoint, endpoint, item } from '../endpoint.ts'

const RELEASE = '1.0.11'

const Info = z.object({
  version: z.string().meta({ description: 'Release of the service.' }),
  name: z.string(),
  endpoints: z.record(z.string(), z.string()).meta({ description: 'What each method and path does.' }),
  rate_limit: z.string(),
})

/** `GET /info`, which tells of these endpoints. */
export function infoOf(endpoints: readonly Endpoint[]): Endpoint {
  const info = {
    version: RELEASE,
    name: 'Web Scraping API',
    endpoints: {
      'GET /info': 'Read what the service offers',
      ...Object.fromEntries(
        endpoints.map(({ method, path, summary }) => [`${method.toUpperCase()} ${shown(path)}`, summary]),
      ),
    },
    rate_limit: `${config.RATE_LIMIT_PER_MINUTE} requests per minute per API key`,
  }
  return endpoint({
    method: 'get',
    path: '/info',
    summary: 'Read what the service offers',
    reply: item(Info, info),
    handle: async () => info,
  })
}

const shown = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}')
