import type { FaultKind } from '../../fault.ts'
import type { ResponseCheck } from './check.ts'

const REFUSALS = [401, 403, 407, 429]
const failed = (fault: FaultKind) => ({ status: 0, fault, contentType: null, html: null })
const answered = (status: number) => ({ status, html: null })

/** Media types that fit a file name extension; `text/html` at any other is a mismatch. */
const types: Record<string, RegExp> = {
  avif: /^image\/avif$/,
  css: /^text\/css$/,
  csv: /^(text\/|application\/(csv|vnd\.ms-excel))/,
  gif: /^image\/gif$/,
  htm: /html/,
  html: /html/,
  jpeg: /^image\/jpe?g$/,
  jpg: /^image\/jpe?g$/,
  js: /javascript/,
  json: /json/,
  mjs: /javascript/,
  mp4: /^video\/mp4$/,
  pdf: /^application\/pdf$/,
  png: /^image\/png$/,
  svg: /svg|xml/,
  txt: /^text\//,
  webp: /^image\/webp$/,
  xhtml: /html|xml/,
  xml: /xml/,
  zip: /^application\/(zip|x-zip|octet-stream)/,
}

/** Whether a page answered at all, and with what. */
export const statusChecks: ResponseCheck[] = [
  {
    code: 'http_4xx',
    severity: 'major',
    about:
      'The address answers with a client error such as 404: the page is gone for readers and search engines.',
    fix: 'Restore the page, redirect it to its successor with 301, or remove the links to it.',
    finds: ({ visit: { status } }) => status >= 400 && status < 500 && !REFUSALS.includes(status),
    examples: { bad: [answered(404), answered(410)], good: [answered(403), answered(500), '<p>here</p>'] },
  },
  {
    code: 'http_5xx',
    severity: 'major',
    about: 'The server answers with an error of its own.',
    fix: 'Look for the error in the server’s log and correct it.',
    finds: ({ visit: { status } }) => status >= 500,
    examples: { bad: [answered(500), answered(503)], good: [answered(404), answered(200)] },
  },
  {
    code: 'page_timeout',
    severity: 'major',
    about: 'No complete answer came in time.',
    fix: 'Find out why the server takes so long, or stops in the middle of the answer.',
    finds: ({ visit: { fault } }) => fault === 'timeout',
    examples: { bad: [failed('timeout')], good: [failed('dns'), answered(504)] },
  },
  {
    code: 'dns_error',
    severity: 'major',
    about: 'The host name does not resolve to an address.',
    fix: 'Correct the host name in the link, or its DNS records.',
    finds: ({ visit: { fault } }) => fault === 'dns',
    examples: { bad: [failed('dns')], good: [failed('connection'), answered(200)] },
  },
  {
    code: 'connection_error',
    severity: 'major',
    about: 'The server refused or broke the connection, or its answer could not be read.',
    fix: 'Check that the server runs, listens, and answers with valid HTTP.',
    finds: ({ visit: { status, fault } }) => status === 0 && !['dns', 'timeout', 'tls'].includes(fault ?? ''),
    examples: { bad: [failed('connection'), failed('protocol')], good: [failed('tls'), answered(502)] },
  },
  {
    code: 'tls_error',
    severity: 'major',
    about: 'The secure connection failed: the certificate is invalid or the handshake broke off.',
    fix: 'Install a valid certificate with its whole chain for this host name.',
    finds: ({ visit: { fault } }) => fault === 'tls',
    examples: { bad: [failed('tls')], good: [failed('connection'), answered(200)] },
  },
  {
    code: 'page_blocked',
    severity: 'moderate',
    about: 'The server refused the crawler, or answered with a test for robots instead of the page.',
    fix: 'Let the crawler’s User-Agent or address through the firewall, and scan again.',
    finds: ({ isBlocked }) => isBlocked,
    examples: {
      bad: [
        answered(403),
        answered(429),
        { headers: { 'cf-mitigated': 'challenge' }, status: 503, html: null },
        '<title>Just a moment...</title><noscript>Enable JavaScript and cookies to continue</noscript>',
        '<title>x</title><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script>',
      ],
      good: [
        answered(404),
        `<title>Just a moment</title>${'<p>A story about waiting, in many words. </p>'.repeat(40)}`,
        '<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script><p>Welcome</p><a href="/next">Next</a>',
      ],
    },
  },
  {
    code: 'empty_response',
    severity: 'moderate',
    about: 'The page answers with success but has neither text nor images.',
    fix: 'Let the server send the content of the page, or answer with 404 or 410.',
    finds: ({ ok, facts }) =>
      ok && facts !== null && facts.text.words === 0 && facts.images.count === 0 && facts.frames === 0,
    examples: {
      bad: [
        '',
        '<title>Title alone</title><body><div id="main"></div>',
        '<body><script>document.write("hello")</script>',
      ],
      good: [
        '<p>Hello</p>',
        '<img src="a.png">',
        '<frameset><frame src="a.html"></frameset>',
        { status: 404, html: null },
      ],
    },
  },
  {
    code: 'mime_type_mismatch',
    severity: 'minor',
    about: 'The media type is missing or does not fit the file name extension of the address.',
    fix: 'Send the Content-Type that fits the content, and give the file the extension that fits.',
    finds({ ok, visit: { contentType, url, bytes } }) {
      if (!ok) return false
      if (!contentType) return bytes > 0
      const extension = /\.([a-z0-9]{2,5})$/.exec(url.pathname.toLowerCase())?.[1]
      const fits = extension === undefined ? undefined : types[extension]
      return fits !== undefined && !fits.test(contentType.toLowerCase())
    },
    examples: {
      bad: [
        { contentType: null, html: null, bytes: 10 },
        { url: 'https://example.test/report.pdf', contentType: 'text/html', html: '<p>no report</p>' },
        { url: 'https://example.test/a.html', contentType: 'text/plain', html: null },
      ],
      good: [
        { url: 'https://example.test/report.pdf', contentType: 'application/pdf', html: null },
        { url: 'https://example.test/v1.2', html: '<p>release</p>' },
        { url: 'https://example.test/gone.pdf', status: 404, html: null },
      ],
    },
  },
]
