import type { ProbeCheck } from './check.ts'

const EXPIRY_DAYS = 30
const DAY = 24 * 3600 * 1000

const at = '2026-06-01T00:00:00.000Z'
const certificate = { validTo: '2026-09-01T00:00:00.000Z', issuer: 'Example CA', error: null }
const http = { status: 301, secured: 'permanently', hasHttps: true } as const

/** How the host as such is set up. */
export const hostChecks: ProbeCheck[] = [
  {
    code: 'certificate_invalid',
    severity: 'major',
    about:
      'Browsers refuse the certificate of the site: it has run out, is for another name, or nobody trusts it.',
    fix: 'Install a certificate from a public authority for exactly this host, with its whole chain.',
    finds: ({ certificate }) => certificate !== null && certificate.error !== null,
    examples: {
      bad: [{ certificate: { ...certificate, error: 'CERT_HAS_EXPIRED' } }],
      good: [{ certificate }, {}],
    },
  },
  {
    code: 'certificate_expiring',
    severity: 'moderate',
    about: 'The certificate of the site runs out within 30 days.',
    fix: 'Renew the certificate now, and let it be renewed by itself from now on.',
    finds: ({ at, certificate }) =>
      certificate !== null &&
      certificate.error === null &&
      Date.parse(certificate.validTo) - Date.parse(at) <= EXPIRY_DAYS * DAY,
    examples: {
      bad: [{ at, certificate: { ...certificate, validTo: '2026-07-01T00:00:00.000Z' } }],
      good: [
        { at, certificate: { ...certificate, validTo: '2026-07-01T00:00:01.000Z' } },
        {
          at,
          certificate: { ...certificate, validTo: '2026-05-01T00:00:00.000Z', error: 'CERT_HAS_EXPIRED' },
        },
        {},
      ],
    },
  },
  {
    code: 'tls_outdated',
    severity: 'moderate',
    about: 'The server still speaks TLS 1.0 or 1.1, which are broken and forbidden (RFC 8996).',
    fix: 'Allow only TLS 1.2 and 1.3 in the settings of the web server or the CDN.',
    finds: ({ oldTls }) => oldTls === true,
    examples: { bad: [{ oldTls: true }], good: [{ oldTls: false }, {}] },
  },
  {
    code: 'http_to_https_missing',
    severity: 'major',
    about: 'The site is there by https, but whoever comes by plain http is not sent on for good.',
    fix: 'Answer every http address with status 301 or 308 and the same address by https.',
    finds: ({ http }) =>
      http !== null &&
      http.hasHttps &&
      http.status >= 200 &&
      http.status < 400 &&
      http.secured !== 'permanently' &&
      http.secured !== 'by canonical',
    examples: {
      bad: [
        { http: { ...http, status: 200, secured: null } },
        { http: { ...http, status: 302, secured: 'temporarily' } },
        { http: { ...http, status: 301, secured: null } },
      ],
      good: [
        { http },
        { http: { ...http, status: 200, secured: 'by canonical' } },
        { http: { ...http, status: 404, secured: null } },
        { http: { status: 200, secured: null, hasHttps: false } },
        {},
      ],
    },
  },
  {
    code: 'www_duplicate',
    severity: 'moderate',
    about: 'The site is there twice, with and without `www.`: links and ranking are divided between them.',
    fix: 'Choose one of the two hosts and answer the other with status 301 to the same path on it.',
    finds: ({ twin, start }) => twin !== null && twin.duplicate && start.status >= 200 && start.status < 300,
    examples: {
      bad: [{ twin: { host: 'www.example.test', status: 200, duplicate: true } }],
      good: [
        { twin: { host: 'www.example.test', status: 200, duplicate: false } },
        { twin: { host: 'www.example.test', status: 200, duplicate: true }, start: { status: 404 } },
        {},
      ],
    },
  },
  {
    code: 'soft_404_site',
    severity: 'moderate',
    about: 'An address that cannot exist is answered with success: search engines find endless empty pages.',
    fix: 'Answer unknown addresses with status 404 or 410, not with a page, and not with a redirect to the start page.',
    finds: ({ nowhere }) =>
      nowhere !== null && nowhere.status >= 200 && nowhere.status < 300 && nowhere.landed !== 'elsewhere',
    examples: {
      bad: [{ nowhere: { status: 200, landed: 'there' } }, { nowhere: { status: 200, landed: 'home' } }],
      good: [
        { nowhere: { status: 404, landed: 'there' } },
        { nowhere: { status: 200, landed: 'elsewhere' } },
        { nowhere: { status: 503, landed: 'there' } },
        {},
      ],
    },
  },
  {
    code: 'favicon_missing',
    severity: 'minor',
    about: 'No page names an icon, and there is none at /favicon.ico: search results and tabs show a blank.',
    fix: 'Add `<link rel="icon" href="/favicon.ico">` to the pages, and the file.',
    finds: ({ icon }) =>
      icon !== null &&
      !icon.named &&
      icon.status !== null &&
      (icon.status === 404 ||
        icon.status === 410 ||
        (icon.status === 200 && icon.contentType === 'text/html')),
    examples: {
      bad: [
        { icon: { named: false, status: 404, contentType: 'text/html' } },
        { icon: { named: false, status: 200, contentType: 'text/html' } },
      ],
      good: [
        { icon: { named: true, status: null, contentType: null } },
        { icon: { named: false, status: 200, contentType: 'image/x-icon' } },
        { icon: { named: false, status: 503, contentType: null } },
        {},
      ],
    },
  },
]
