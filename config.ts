import { z } from 'zod'

/** One environment variable: what it accepts, its default, and the line the README's table prints for it. */
const flag = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.enum(['true', 'false', '1', '0', 'on', 'off', 'yes', 'no']))
  .transform((word) => ['true', '1', 'on', 'yes'].includes(word))
const whole = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .trim()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
const decimal = (minimum: number) =>
  z
    .string()
    .trim()
    .regex(/^\d+(\.\d+)?$/, 'must be a number')
    .transform(Number)
    .pipe(z.number().min(minimum))
const text = z.string().trim().min(1)
const secretKey = z
  .string()
  .regex(/^([0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/i, 'must be 32 bytes as 64 hex digits or base64')
const address = z.url({ protocol: /^https?$/ })

/** The pools of jobs; a worker process serves those named in `WORKER_POOLS`. */
export const pools = ['crawl', 'render', 'scrape', 'interactive', 'alerts', 'maintenance'] as const
export type Pool = (typeof pools)[number]

const poolList = text
  .transform((list) => (list === 'all' ? [...pools] : list.split(',').map((name) => name.trim())))
  .pipe(z.array(z.enum(pools)).min(1))

const engine = <Name extends string>(name: Name, base: string, model: string) => {
  const settings = {
    key: text.optional().describe('answer engine of the AI modules; configured when set'),
    base: address.prefault(base).describe('its base address'),
    model: text.prefault(model).describe('its model'),
  }
  return {
    [`${name}_API_KEY`]: settings.key,
    [`${name}_BASE_URL`]: settings.base,
    [`${name}_MODEL`]: settings.model,
  } as Record<`${Name}_API_KEY`, typeof settings.key> &
    Record<`${Name}_BASE_URL`, typeof settings.base> &
    Record<`${Name}_MODEL`, typeof settings.model>
}

export const settings = z.object({
  PORT: whole(0, 65_535).prefault('8080').describe('API port'),
  HOST: text.optional().describe('API address; 127.0.0.1, or 0.0.0.0 when `DATABASE_URL` is set'),
  METRICS_PORT: whole(0, 65_535)
    .prefault('9464')
    .describe(
      "each process's own port for `/metrics`, `/livez`, `/readyz`; 0 = off; under `npm start` web on it, worker +1, clock +2",
    ),
  PUBLIC_URL: address.optional().describe('prefix of addresses in answers; `http://HOST:PORT` when unset'),
  DATA_DIR: text
    .prefault('.data')
    .describe('embedded PostgreSQL, local archives, and the files of jobs under way'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('external PostgreSQL 15+; embedded when unset'),
  DATABASE_POOL_SIZE: whole(2, 500).prefault('10').describe('connections per process'),
  S3_BUCKET: text.optional().describe('archives go to this bucket; below `DATA_DIR/archives` when unset'),
  S3_ENDPOINT: address.optional().describe('S3-compatible server'),
  S3_REGION: text.optional().describe('its region'),
  S3_FORCE_PATH_STYLE: flag.prefault('false').describe('bucket in the path instead of the host name'),
  S3_PREFIX: text.optional().describe('prefix of every object key'),
  WORKER_CONCURRENCY: whole(1, 1000).prefault('25').describe('jobs at once in a worker process'),
  WORKER_POOLS: poolList
    .prefault('all')
    .describe(`comma list of the pools this process serves: \`${pools.join(',')}\``),
  SHUTDOWN_GRACE_SECONDS: whole(1, 3600)
    .prefault('25')
    .describe('after SIGTERM; work in hand is finished or handed back'),
  SPIDER_DELAY_SCALE: decimal(0).prefault('1').describe('multiplies the 4/2/1 s page delays; 0 = none'),
  SPIDER_CONCURRENCY: whole(1, 256).prefault('4').describe('requests of one scan in flight at most'),
  SCRAPER_CONCURRENCY: whole(1, 256).prefault('8').describe('requests of one scrape job in flight at most'),
  SCRAPER_MAX_FILE_MB: whole(1).prefault('100').describe('bound of one file'),
  SCRAPER_MAX_JOB_MB: whole(1).prefault('2048').describe('bound of one job'),
  SCRAPE_RETENTION_DAYS: whole(1).optional().describe('age at which ended jobs and archives are swept'),
  ALLOW_PRIVATE_NETWORKS: flag
    .prefault('false')
    .describe(
      'whether loopback, private and link-local targets may be fetched (true under `npm start` with the embedded database)',
    ),
  CHROMIUM_PATH: text
    .optional()
    .describe('browser for JavaScript pages; found when unset; without any they are crawled as plain HTML'),
  CRAWLER_USER_AGENT: text
    .optional()
    .describe(
      'User-Agent of every outgoing page fetch; `SeoSuiteBot/<version> (+PUBLIC_URL/docs)` when unset',
    ),
  API_ENABLED: flag
    .prefault('true')
    .describe('first value of the setting `api_enabled` on an empty database'),
  RATE_LIMIT_PER_MINUTE: whole(1).prefault('60').describe('requests per API key and minute'),
  DEFAULT_LOCATION_CODE: whole(1).prefault('2380').describe('project and keyword-research default'),
  DEFAULT_LANGUAGE_CODE: z
    .string()
    .regex(/^[a-z-]{1,8}$/)
    .prefault('it')
    .describe('project and keyword-research default'),
  DATAFORSEO_LOGIN: text.optional().describe('keyword data source; configured = login and password set'),
  DATAFORSEO_PASSWORD: text.optional().describe('its password'),
  DATAFORSEO_URL: address.prefault('https://api.dataforseo.com/v3').describe('its root, ending in `/v3`'),
  SEARXNG_URL: address
    .optional()
    .describe('a SearXNG with JSON answers: positions alone, when DataForSEO is not configured'),
  GOOGLE_CLIENT_ID: text.optional().describe('external search account; configured = id and secret set'),
  GOOGLE_CLIENT_SECRET: text.optional().describe('its secret'),
  GOOGLE_AUTH_URL: address
    .prefault('https://accounts.google.com/o/oauth2/v2/auth')
    .describe('OAuth 2 endpoint'),
  GOOGLE_TOKEN_URL: address.prefault('https://oauth2.googleapis.com/token').describe('OAuth 2 endpoint'),
  GOOGLE_REVOKE_URL: address.prefault('https://oauth2.googleapis.com/revoke').describe('OAuth 2 endpoint'),
  GOOGLE_SEARCHCONSOLE_URL: address
    .prefault('https://searchconsole.googleapis.com')
    .describe('origin of the search-console API'),
  GOOGLE_ANALYTICSDATA_URL: address
    .prefault('https://analyticsdata.googleapis.com')
    .describe('origin of the analytics data API'),
  GOOGLE_ANALYTICSADMIN_URL: address
    .prefault('https://analyticsadmin.googleapis.com')
    .describe('origin of the analytics admin API'),
  ...engine('OPENAI', 'https://api.openai.com/v1', 'gpt-6.1-terra'),
  ...engine('ANTHROPIC', 'https://api.anthropic.com/v1', 'claude-sonnet-5-5'),
  ...engine('GEMINI', 'https://generativelanguage.googleapis.com/v1beta', 'gemini-3.8-flash'),
  ...engine('PERPLEXITY', 'https://api.perplexity.ai/v1', 'perplexity/sonar'),
  AI_TIMEOUT_SECONDS: whole(1, 3600).prefault('120').describe('bound on one analysis'),
  AI_SPEND_LIMIT_PER_DAY: decimal(0).optional().describe('spend cap per user and day in USD'),
  SECRET_KEY: secretKey
    .optional()
    .describe(
      'encrypts refresh tokens and channel secrets at rest; made and kept in `DATA_DIR` under the embedded database, else required',
    ),
  SECRET_KEY_OLD: secretKey.optional().describe('opens what another key encrypted, until it is rotated'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('mail server of e-mail alerts'),
  MAIL_FROM: text
    .optional()
    .describe('sender of e-mail alerts; `seo-suite@` and the host of `PUBLIC_URL` when unset'),
  OTEL_EXPORTER_OTLP_ENDPOINT: address
    .optional()
    .describe('traces over OTLP; off when unset; the other standard `OTEL_*` variables are read by the SDK'),
  OTEL_SDK_DISABLED: flag.prefault('false').describe('no traces although an endpoint is set'),
  OTEL_SERVICE_NAME: text
    .optional()
    .describe('name in traces; `seo-web`, `seo-worker` or `seo-clock` when unset'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .prefault('info')
    .describe('JSON lines on stderr, pretty when it is a terminal'),
})

export type Config = z.output<typeof settings>

/** Reads an environment; throws one Error whose message has one line for each fault. An empty value counts as unset. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()))
  const read = settings.safeParse(given)
  if (read.success) return read.data
  throw new Error(read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'))
}

function readOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (fault) {
    process.stderr.write(`${(fault as Error).message}\n`)
    process.exit(1)
  }
}

export const config = readOrExit()

/** Address the API listens on. */
export const host = config.HOST ?? (config.DATABASE_URL ? '0.0.0.0' : '127.0.0.1')
/** The same in a URL: IPv6 stands in brackets. */
export const urlHost = host.includes(':') ? `[${host}]` : host
/** Prefix of every address in an answer, without a trailing slash. */
export const publicUrl = (config.PUBLIC_URL ?? `http://${urlHost}:${config.PORT}`).replace(/\/+$/, '')
/** The same without its origin: a proxy in front takes it off, so addresses of our own get it back. */
export const publicPath = new URL(publicUrl).pathname.replace(/\/$/, '')
/** Where Google sends browsers back to, below `publicUrl`. */
export const GOOGLE_CALLBACK = '/oauth/google/callback'

/** This process's environment for a child process: `defaults` where a variable is unset, `fixed` whatever it is. */
export function childEnvironment(
  defaults: Record<string, string>,
  fixed: Record<string, string>,
): Record<string, string | undefined> {
  const given = Object.entries(process.env).filter(([, value]) => value?.trim())
  return { ...defaults, ...Object.fromEntries(given), ...fixed }
}
