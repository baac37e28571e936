import type { AlertType } from '../../../sql/alerts.ts'
import { aiCrawlerBlocked } from './ai-crawler-blocked.ts'
import { certificateExpiring } from './certificate-expiring.ts'
import { rankDrop } from './rank-drop.ts'
import { rankGain } from './rank-gain.ts'
import type { Rule } from './rule.ts'
import { spiderFailed } from './spider-failed.ts'
import { spiderScoreDrop } from './spider-score-drop.ts'
import { spiderServerErrors } from './spider-server-errors.ts'

/** One rule for each type of alert. */
export const rules = {
  rank_drop: rankDrop,
  rank_gain: rankGain,
  spider_server_errors: spiderServerErrors,
  spider_score_drop: spiderScoreDrop,
  spider_failed: spiderFailed,
  certificate_expiring: certificateExpiring,
  ai_crawler_blocked: aiCrawlerBlocked,
} as const satisfies Record<AlertType, Rule<unknown>>
