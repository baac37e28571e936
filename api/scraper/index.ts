import { config } from '../../config.ts'
import { apiKey } from '../access.ts'
import type { Service } from '../openapi.ts'
import { envelope } from './envelope.ts'
import { infoOf } from './info.ts'
import { jobEndpoints } from './jobs.ts'
import { scrape } from './scrape.ts'
import { stats } from './stats.ts'

const endpoints = [scrape, ...jobEndpoints, stats]

export const scraper: Service = {
  name: 'scraper',
  title: 'Web scraping',
  version: 'v1',
  description:
    'Mirrors a website into a ZIP archive that opens offline. Start a job, follow it, download what it saved. ' +
    'Every request carries its API key in the header `X-API-Key` or the parameter `api_key`. ' +
    'Answers are `{"success": true, "message", "data", "timestamp", "api_version"}`, failures have ' +
    '`"success": false` and `{"error": {"error", "details"}}`. Bodies are JSON; input that is out of range or of ' +
    `another type is 400. ${config.RATE_LIMIT_PER_MINUTE} requests per minute and key, counted apart.`,
  bases: ['/api/v1'],
  credential: apiKey,
  forms: false,
  tag: 'scraper',
  envelope,
  endpoints: [infoOf(endpoints), ...endpoints],
}
