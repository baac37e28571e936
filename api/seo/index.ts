import { config } from '../../config.ts'
import { bearer } from '../access.ts'
import type { Service } from '../openapi.ts'
import { accountEndpoints } from './account.ts'
import { aiSearch } from './ai-search/index.ts'
import { alertChannelEndpoints } from './alert-channels.ts'
import { alertEndpoints } from './alerts.ts'
import { analyticsEndpoints } from './analytics.ts'
import { catalogueEndpoints } from './catalogue.ts'
import { discoveryEndpoints } from './discovery.ts'
import { envelope } from './envelope.ts'
import { externalAccountEndpoints } from './external-account.ts'
import { keywordResearchEndpoints } from './keyword-research.ts'
import { keywordEndpoints } from './keywords.ts'
import { projectKeywordEndpoints } from './project-keywords.ts'
import { projectEndpoints } from './projects.ts'
import { searchConsoleEndpoints } from './search-console.ts'
import { spiderHistory } from './spider-history.ts'
import { spiderIssues } from './spider-issues.ts'
import { spiderPages } from './spider-pages.ts'
import { spiderReport } from './spider-report.ts'
import { spider } from './spider.ts'

export const seo: Service = {
  name: 'seo',
  title: 'SEO API',
  version: 'v1',
  description:
    'Rank tracking, keyword research, site crawling, AI-search analysis, search-console and analytics reports, alerts. ' +
    `Answers are \`{data}\`, lists \`{data, meta}\`, failures \`{errors}\`. ${config.RATE_LIMIT_PER_MINUTE} requests per minute and key. ` +
    'A known path with another method answers 405 with `Allow`.',
  bases: ['/api/seo', '/api/v1/seo'],
  credential: bearer,
  forms: true,
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
    ...spiderIssues,
    ...spiderPages,
    ...spiderHistory,
    ...spiderReport,
    ...aiSearch,
    ...searchConsoleEndpoints,
    ...analyticsEndpoints,
    ...alertEndpoints,
    ...alertChannelEndpoints,
    ...externalAccountEndpoints,
  ],
}
