import type { PageCheck, ResponseCheck } from './check.ts'

const start = (headers: Record<string, string> = {}, url = 'https://example.test/') => ({
  isStart: true,
  url,
  headers,
  html: '<p>text</p>',
})
const sets = (...setCookies: string[]) => ({ setCookies, html: '<p>text</p>' })
const hsts = 'strict-transport-security'
const csp = 'content-security-policy'
/** Seconds: 31 days. */
const HSTS_LEAST = 31 * 86_400

const isSecure = (url: URL) => url.protocol === 'https:'

/** Cookies as any answer sets them. */
export const cookieChecks: ResponseCheck[] = [
  {
    code: 'cookie_insecure',
    severity: 'minor',
    about: 'A cookie is set without Secure, HttpOnly or SameSite.',
    fix: 'Set cookies with `Secure; HttpOnly; SameSite=Lax`, unless a script must read them.',
    finds: ({ visit: { url, setCookies } }) => isSecure(url) && setCookies?.some(isInsecure) === true,
    examples: {
      bad: [
        sets('a=1'),
        sets('a=1; Secure; HttpOnly; SameSite=Lax', 'b=2; HttpOnly; SameSite=Lax'),
        sets('a=secure; httponly; samesite=lax'),
        { ...sets('a=1; Secure'), status: 302, html: null },
      ],
      good: [
        sets('a=1; Path=/; secure; HTTPONLY; SameSite=Strict'),
        sets('a=; Max-Age=0', 'b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'),
        { ...sets('a=1'), url: 'http://example.test/' },
        '<p>none</p>',
      ],
    },
  },
]

/** Headers are set for a whole host, so they are judged on the start page alone. */
export const headerChecks: PageCheck[] = [
  {
    code: 'hsts_missing',
    severity: 'minor',
    of: 'start',
    about: 'The host does not tell browsers to use https only (Strict-Transport-Security).',
    fix: 'Send `Strict-Transport-Security: max-age=31536000; includeSubDomains`.',
    finds: ({ visit: { url, headers } }) => isSecure(url) && !headers[hsts],
    examples: {
      bad: [start()],
      good: [
        start({ [hsts]: 'max-age=63072000' }),
        start({}, 'http://example.test/'),
        '<p>not the start page</p>',
      ],
    },
  },
  {
    code: 'hsts_weak',
    severity: 'minor',
    of: 'start',
    about: 'Strict-Transport-Security is malformed or holds for less than 31 days.',
    fix: 'Raise max-age to at least 2678400 seconds, better 31536000.',
    finds({ visit: { url, headers } }) {
      const value = headers[hsts]
      return isSecure(url) && !!value && !(Number(/max-age\s*=\s*"?(\d+)/i.exec(value)?.[1]) >= HSTS_LEAST)
    },
    examples: {
      bad: [start({ [hsts]: 'max-age=0' }), start({ [hsts]: 'includeSubDomains' })],
      good: [start({ [hsts]: 'max-age=2678400' }), start()],
    },
  },
  {
    code: 'csp_missing',
    severity: 'minor',
    of: 'start',
    about: 'The host sends no Content-Security-Policy.',
    fix: 'Send a Content-Security-Policy; begin with it as report-only.',
    finds: ({ facts, visit: { headers } }) => !headers[csp] && facts.contentPolicy === null,
    examples: {
      bad: [start(), start({ 'content-security-policy-report-only': "default-src 'self'" })],
      good: [
        start({ 'content-security-policy': "default-src 'self'" }),
        { ...start(), html: `<meta http-equiv="Content-Security-Policy" content="default-src 'self'">` },
      ],
    },
  },
  {
    code: 'x_content_type_options_missing',
    severity: 'minor',
    of: 'start',
    about: 'The host does not forbid browsers to guess media types (X-Content-Type-Options: nosniff).',
    fix: 'Send `X-Content-Type-Options: nosniff`.',
    finds: ({ visit: { headers } }) => headers['x-content-type-options']?.trim().toLowerCase() !== 'nosniff',
    examples: {
      bad: [start(), start({ 'x-content-type-options': 'none' })],
      good: [start({ 'x-content-type-options': 'nosniff' })],
    },
  },
  {
    code: 'x_frame_options_missing',
    severity: 'minor',
    of: 'start',
    about: 'The host lets any site put its pages into a frame.',
    fix: "Send `Content-Security-Policy: frame-ancestors 'self'`, or `X-Frame-Options: SAMEORIGIN`.",
    finds: ({ visit: { headers } }) =>
      !headers['x-frame-options'] && !/frame-ancestors/i.test(headers['content-security-policy'] ?? ''),
    examples: {
      bad: [start()],
      good: [
        start({ 'x-frame-options': 'DENY' }),
        start({ 'content-security-policy': "frame-ancestors 'none'" }),
      ],
    },
  },
  {
    code: 'referrer_policy_missing',
    severity: 'minor',
    of: 'start',
    about: 'The host does not say how much of an address other sites learn (Referrer-Policy).',
    fix: 'Send `Referrer-Policy: strict-origin-when-cross-origin`.',
    finds: ({ facts, visit: { headers } }) => !headers['referrer-policy'] && !facts.hasReferrerPolicy,
    examples: {
      bad: [start(), { ...start(), html: '<meta name=referrer content="">' }],
      good: [
        start({ 'referrer-policy': 'no-referrer' }),
        { ...start(), html: '<meta name=referrer content=origin>' },
      ],
    },
  },
  {
    code: 'server_version_exposed',
    severity: 'minor',
    of: 'start',
    about: 'Headers give away the version of the server software.',
    fix: 'Switch off version numbers in the Server and X-Powered-By headers.',
    finds: ({ visit: { headers } }) =>
      /\d/.test(`${headers['server'] ?? ''}${headers['x-powered-by'] ?? ''}`),
    examples: {
      bad: [start({ server: 'nginx/1.25.1' }), start({ 'x-powered-by': 'PHP/8.3' })],
      good: [start({ server: 'nginx' }), start()],
    },
  },
  {
    code: 'csp_unsafe',
    severity: 'minor',
    of: 'start',
    about: 'The Content-Security-Policy lets any script run: unsafe-inline, unsafe-eval or a wildcard.',
    fix: 'Allow scripts by nonce or hash with strict-dynamic, and remove unsafe-inline, unsafe-eval and wildcards.',
    finds: ({ facts, visit: { headers } }) =>
      isPermissive(`${headers[csp] ?? ''},${facts.contentPolicy ?? ''}`.split(',')),
    examples: {
      bad: [
        start({ [csp]: "default-src 'self' 'unsafe-inline'" }),
        start({ [csp]: "default-src 'none'; Script-Src 'self' 'UNSAFE-EVAL'" }),
        start({ [csp]: 'script-src *' }),
        start({ [csp]: 'script-src https: data:' }),
        {
          ...start(),
          html: `<meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'">`,
        },
      ],
      good: [
        start({ [csp]: "default-src 'self'; style-src 'unsafe-inline'" }),
        start({ [csp]: "script-src 'nonce-r4nd0m' 'unsafe-inline' https:" }),
        start({ [csp]: "default-src 'unsafe-inline'; script-src 'self' *.example.test" }),
        start({ [csp]: "script-src 'unsafe-inline', script-src 'self'" }),
        start({ [csp]: "frame-ancestors 'none'" }),
        start(),
      ],
    },
  },
  {
    code: 'permissions_policy_missing',
    severity: 'minor',
    of: 'start',
    about: 'The host does not say which browser features its pages may use (Permissions-Policy).',
    fix: 'Send `Permissions-Policy: camera=(), microphone=(), geolocation=()` with what you do not need.',
    finds: ({ visit: { headers } }) => !headers['permissions-policy'],
    examples: { bad: [start()], good: [start({ 'permissions-policy': 'camera=()' })] },
  },
]

/** Cookies that are deleted are no risk. */
function isInsecure(cookie: string): boolean {
  const attributes = cookie
    .split(';')
    .slice(1)
    .map((attribute) => attribute.trim().toLowerCase())
  const has = (name: string) => attributes.some((one) => one === name || one.startsWith(`${name}=`))
  const isDeleted = attributes.some(
    (one) =>
      /^max-age=(0|-\d+)$/.test(one) || (one.startsWith('expires=') && Date.parse(one.slice(8)) < Date.now()),
  )
  return !isDeleted && !(has('secure') && has('httponly') && has('samesite'))
}

const OPEN = new Set(["'unsafe-inline'", "'unsafe-eval'", '*', 'http:', 'https:', 'data:'])

/** Each policy narrows what the others allow. */
function isPermissive(policies: readonly string[]): boolean {
  const sources = policies.flatMap((policy) => scriptSources(policy) ?? [])
  return (
    sources.length > 0 &&
    sources.every(({ list }) => list.some((source) => OPEN.has(source)) && !list.some(isNonce))
  )
}

const isNonce = (source: string) => /^'(nonce|sha(256|384|512))-/.test(source)

function scriptSources(policy: string): { list: string[] } | null {
  const directives = policy
    .toLowerCase()
    .split(';')
    .map((directive) => directive.trim().split(/\s+/))
  const found = ['script-src', 'default-src'].map((name) => directives.find(([first]) => first === name))
  const directive = found[0] ?? found[1]
  return directive ? { list: directive.slice(1) } : null
}
