/** Everything that can go wrong on purpose, and the HTTP status it means. Titles live in api/titles.ts. */
export const problems = {
  bad_request: 400,
  malformed_body: 400,
  consent_expired: 400,
  consent_refused: 400,
  missing_bearer: 401,
  missing_key: 401,
  no_access: 401,
  not_found: 404,
  api_disabled: 404,
  method_not_allowed: 405,
  no_datasource: 409,
  external_not_configured: 409,
  not_connected: 409,
  not_consented: 409,
  body_too_large: 413,
  range: 416,
  invalid: 422,
  still_crawling: 422,
  too_many_channels: 422,
  rate_limited: 429,
  quota: 429,
  matrix_quota: 429,
  spend_limit: 429,
  cooldown: 429,
  internal: 500,
  upstream_failed: 502,
  refresh_failed: 502,
  no_engine: 502,
} as const

export type ProblemKey = keyof typeof problems

/** An expected failure: thrown anywhere, answered by the API with its status and localized title. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly key: ProblemKey
  readonly params: Record<string, string | number>

  constructor(key: ProblemKey, params: Record<string, string | number> = {}, options?: ErrorOptions) {
    super(key, options)
    this.key = key
    this.params = params
  }

  get status() {
    return problems[this.key]
  }
}
