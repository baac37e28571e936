import { config, publicUrl } from '../../config.ts'
import type { Service } from '../openapi.ts'
import { accountEndpoints } from './account.ts'
import { alertChannelEndpoints } from './alert-channels.ts'
import { alertEndpoints } from './alerts.ts'
import { catalogueEndpoints } from './catalogue.ts'
import { discoveryEndpoints } from './discovery.ts'
import { envelope } from './envelope.ts'
import { keywordResearchEndpoints } from './keyword-research.ts'
import { keywordEndpoints } from './keywords.ts'
import { projectKeywordEndpoints } from './project-keywords.ts'
import { projectEndpoints } from './projects.ts'
import { spiderResults } from './spider-results.ts'
import { spider } from './spider.ts'

/** Both roots are the same service. */
export const bases = ['/api/seo', '/api/v1/seo']

export const seo: Service = {
  title: 'SEO API',
  version: 'v1',
  description:
    'Rank tracking, keyword research, site crawling, AI-search analysis, search-console and analytics reports, alerts. ' +
    `Answers are \`{data}\`, lists \`{data, meta}\`, failures \`{errors}\`. ${config.RATE_LIMIT_PER_MINUTE} requests per minute and key. ` +
    'A known path with another method answers 405 with `Allow`.',
  servers: bases.map((base) => new URL(publicUrl).pathname.replace(/\/$/, '') + base),
  envelope,
  endpoints: [
    ...discoveryEndpoints,
    ...accountEndpoints,
    ...projectEndpoints,
    ...projectKeywordEndpoints,
    ...keywordEndpoints,
    ...keywordResearchEndpoints,
    ...catalogueEndpoints,
    ...spider,
    ...spiderResults,
    ...alertEndpoints,
    ...alertChannelEndpoints,
  ],
}
