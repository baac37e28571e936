import type { PageCheck } from './check.ts'

const start = (headers: Record<string, string> = {}, url = 'https://example.test/') => ({
  isStart: true,
  url,
  headers,
  html: '<p>text</p>',
})
const hsts = 'strict-transport-security'
/** Seconds: 31 days. */
const HSTS_LEAST = 31 * 86_400

const isSecure = (url: URL) => url.protocol === 'https:'

/** Security as pages show it. Headers are set for a whole host, so they are judged on the start page alone. */
export const securityChecks: PageCheck[] = [
  {
    code: 'https_missing',
    severity: 'major',
    about: 'The page is served without encryption.',
    finds: ({ visit: { url } }) => !isSecure(url),
    examples: {
      bad: [{ url: 'http://example.test/', html: '<p>text' }],
      good: [
        '<p>text',
        {
          url: 'http://example.test/',
          status: 301,
          headers: { location: 'https://example.test/' },
          html: null,
        },
      ],
    },
  },
  {
    code: 'mixed_content_active',
    severity: 'major',
    about: 'An https page loads scripts, style sheets or frames over http: browsers refuse them.',
    finds: ({ facts, visit: { url } }) => isSecure(url) && facts.insecure.active > 0,
    examples: {
      bad: [
        '<script src="http://a.test/a.js"></script>',
        '<link rel="stylesheet" href="HTTP://a.test/a.css">',
        '<iframe src="http://a.test/"></iframe>',
        '<object data="http://a.test/"></object>',
      ],
      good: [
        '<script src="//a.test/a.js"></script>',
        '<a href="http://a.test/">a</a>',
        { url: 'http://example.test/', html: '<script src="http://a.test/a.js"></script>' },
      ],
    },
  },
  {
    code: 'mixed_content_passive',
    severity: 'moderate',
    about: 'An https page loads images, sound or video over http.',
    finds: ({ facts, visit: { url } }) => isSecure(url) && facts.insecure.passive > 0,
    examples: {
      bad: [
        '<img src="http://a.test/a.png" alt="">',
        '<img src=a srcset="/a 1x, http://a.test/b 2x" alt="">',
      ],
      good: ['<img src="https://a.test/a.png" alt="">', '<img src="/http://a" alt="">'],
    },
  },
  {
    code: 'form_on_http',
    severity: 'moderate',
    about: 'The page has a form and is served without encryption.',
    finds: ({ facts, visit: { url } }) => !isSecure(url) && facts.forms.count > 0,
    examples: {
      bad: [{ url: 'http://example.test/', html: '<form></form>' }],
      good: ['<form></form>', { url: 'http://example.test/', html: '<p>text' }],
    },
  },
  {
    code: 'form_insecure_action',
    severity: 'moderate',
    about: 'A form sends what readers enter to an http address.',
    finds: ({ facts }) => facts.forms.insecure > 0,
    examples: {
      bad: ['<form action="http://example.test/send"></form>'],
      good: ['<form action="/send"></form>', '<form action="https://example.test/send"></form>'],
    },
  },
  {
    code: 'hsts_missing',
    severity: 'minor',
    of: 'start',
    about: 'The host does not tell browsers to use https only (Strict-Transport-Security).',
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
    finds: ({ facts, visit: { headers } }) => !headers['content-security-policy'] && !facts.contentPolicy,
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
    finds: ({ visit: { headers } }) => !headers['referrer-policy'],
    examples: { bad: [start()], good: [start({ 'referrer-policy': 'no-referrer' })] },
  },
  {
    code: 'server_version_exposed',
    severity: 'minor',
    of: 'start',
    about: 'Headers give away the version of the server software.',
    finds: ({ visit: { headers } }) =>
      /\d/.test(`${headers['server'] ?? ''}${headers['x-powered-by'] ?? ''}`),
    examples: {
      bad: [start({ server: 'nginx/1.25.1' }), start({ 'x-powered-by': 'PHP/8.3' })],
      good: [start({ server: 'nginx' }), start()],
    },
  },
]
