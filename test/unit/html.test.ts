import { expect, test } from 'vitest'

import { Html, html, prose } from '../../api/html.ts'

test.each([
  [
    'text',
    html`<p>${'<script>alert("1 & \'2\'")</script>'}</p>`,
    '<p>&lt;script&gt;alert(&quot;1 &amp; &#39;2&#39;&quot;)&lt;/script&gt;</p>',
  ],
  ['an attribute', html`<a title="${'" onclick="x'}">`, '<a title="&quot; onclick=&quot;x">'],
  ['numbers', html`${0} ${1.5}`, '0 1.5'],
  ['nothing', html`[${null}${undefined}${false}${''}]`, '[]'],
  ['HTML of ours', html`<b>${html`<i>${'<'}</i>`}</b>`, '<b><i>&lt;</i></b>'],
  ['lists', html`${['<', [html`<i></i>`, null], 2]}`, '&lt;<i></i>2'],
  ['what is escaped already', html`${'&amp;'}`, '&amp;amp;'],
])('%s', (_what, made, text) => {
  expect(made).toBeInstanceOf(Html)
  expect(made.text).toBe(text)
})

test.each([
  ['plain <text>', 'plain &lt;text&gt;'],
  ['Set `lang="it"` first.', 'Set <code>lang=&quot;it&quot;</code> first.'],
  ['`<title>` and `<h1>`', '<code>&lt;title&gt;</code> and <code>&lt;h1&gt;</code>'],
])('code spans of %j', (text, made) => expect(prose(text).text).toBe(made))
