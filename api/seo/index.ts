import { config, publicPath } from '../../config.ts'
import type { Service } from '../openapi.ts'
import { accountEndpoints } from './account.ts'
import { discoveryEndpoints } from './discovery.ts'
import { envelope } from './envelope.ts'
import { spiderHistory } from './spider-history.ts'
import { spiderIssues } from './spider-issues.ts'
import { spiderPages } from './spider-pages.ts'
import { spiderReport } from './spider-report.ts'
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
  servers: bases.map((base) => publicPath + base),
  envelope,
  endpoints: [
    ...discoveryEndpoints,
    ...accountEndpoints,
    ...spider,
    ...spiderIssues,
    ...spiderPages,
    ...spiderHistory,
    ...spiderReport,
  ],
}
