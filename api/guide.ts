import { config, publicPath, publicUrl } from '../config.ts'
import { CSV_ROWS } from './csv.ts'
import type { Endpoint } from './endpoint.ts'
import type { Service } from './openapi.ts'

/** The documentation page: what every caller must know, tables of the endpoints, and Swagger UI to try them. */
export function guide([{ title, version, endpoints }, ...others]: readonly [Service, ...Service[]]): string {
  const root = `${publicUrl}/api/seo`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} ${version}</title>
<link rel="icon" type="image/png" href="${publicPath}/docs/favicon-32x32.png">
<link rel="stylesheet" href="${publicPath}/docs/swagger-ui.css">
<style>
main { max-width: 60rem; margin: 2rem auto; padding: 0 1.25rem; font: 1rem/1.6 system-ui, sans-serif; color: #222 }
main code, main pre { background: #f3f4f6; border-radius: 4px; padding: .1em .3em; font-size: .9em }
main pre { padding: .8em 1em; overflow-x: auto }
main table { border-collapse: collapse; width: 100% } main td { padding: .25em .5em; border-top: 1px solid #ddd }
</style>
</head>
<body>
<main>
<h1>${title} ${version}</h1>
<p>Root: <code>${escaped(root)}</code>, or <code>${escaped(publicUrl)}/api/v1/seo</code>; both are the same.
Machine-readable: <a href="${publicPath}/openapi.json">openapi.json</a> (OpenAPI 3.1).
What crawls look for, and how scores are made: <a href="${publicPath}/docs/checks">checks and scores</a>.</p>
<pre>curl -H 'Authorization: Bearer &lt;api_key&gt;' ${escaped(root)}/status</pre>
<h2>Authentication</h2>
<p>Every request carries <code>Authorization: Bearer &lt;api_key&gt;</code>. Without it, or with a key that has no access, the
answer is 401. <code>POST /api-key/rotate</code> gives a new key and ends the old one at once. You see your own records only;
those of others do not exist (404).</p>
<h2>Requests</h2>
<p>A body that starts with <code>{</code> is JSON, whatever its content type; any other is a form, with arrays as
<code>ids[]=1&amp;ids[]=2</code>. It may have 1 MiB. Times are UTC, <code>Y-m-d H:i:s</code>.</p>
<h2>Answers</h2>
<p><code>{"data": …}</code>; lists also have <code>meta</code> with <code>page</code>, <code>per_page</code>,
<code>total_results</code> and <code>total_pages</code>. Failures are <code>{"errors": [{"title", "status"}]}</code>, in your
account's language; the header <code>X-Error-Code</code> names them for programs. Quote <code>X-Request-Id</code> when you report one.
GET answers have an <code>ETag</code>.</p>
<h2>Lists and CSV</h2>
<p>Lists take <code>page</code> (from 1) and <code>per_page</code> (25, at most 100). With <code>format=csv</code> a list comes whole,
up to ${CSV_ROWS} rows, as a CSV file: UTF-8, header in the first row, true and false as 1 and 0; text that a spreadsheet would run as a
formula begins with <code>'</code>.</p>
<h2>Limits</h2>
<p>${config.RATE_LIMIT_PER_MINUTE} requests per minute and key. <code>X-RateLimit-Limit</code> and <code>X-RateLimit-Remaining</code> tell where
you are; past the limit the answer is 429, and <code>X-RateLimit-Reset</code> and <code>Retry-After</code> say how many seconds to wait.</p>
<h2>Endpoints</h2>
<table>
${endpoints.map(line).join('\n')}
</table>
${others.map(section).join('\n')}
</main>
<div id="swagger-ui"></div>
<script src="${publicPath}/docs/swagger-ui-bundle.js"></script>
<script src="${publicPath}/docs/start.js"></script>
</body>
</html>
`
}

/** A service beside the main one. */
function section({ title, version, description, bases, endpoints }: Service) {
  return `<h1>${title} ${version}</h1>
<p>Root: <code>${escaped(publicUrl + (bases[0] ?? ''))}</code>. ${marked(description)}</p>
<table>
${endpoints.map(line).join('\n')}
</table>`
}

/** Markdown's code spans; descriptions use nothing else. */
function marked(text: string) {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

function line({ method, path, summary }: Endpoint) {
  const shown = path.replaceAll(/:(\w+)/g, '{$1}')
  return `<tr><td><code>${method.toUpperCase()} ${escaped(shown)}</code></td><td>${escaped(summary)}</td></tr>`
}

function escaped(text: string) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
