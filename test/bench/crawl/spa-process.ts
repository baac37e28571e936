import { words } from '../../fakes/site/html.ts'
import { type Answer, startServer } from '../../fakes/site/server.ts'

/** A site that is empty without its scripts: a shell, a script that fetches the page's data and draws it. */
const shell: Answer = {
  body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Loading</title></head>
<body><div id="root"></div><script src="/app.js"></script></body></html>`,
}
const script: Answer = {
  headers: { 'content-type': 'text/javascript' },
  body: `const answer = await fetch('/api' + location.pathname + '.json')
const { title, text, links } = await answer.json()
document.title = title
const [heading, paragraph, menu] = ['h1', 'p', 'nav'].map((name) => document.createElement(name))
heading.textContent = title
paragraph.textContent = text
for (const href of links) menu.append(Object.assign(document.createElement('a'), { href, textContent: 'Go to ' + href }), ' ')
document.getElementById('root').append(heading, paragraph, menu)`.replace(
    /^([\s\S]*)$/,
    '(async () => { $1 })()',
  ),
}
const data = (title: string, links: string[]): Answer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ title, text: words(200, title), links }),
})

process.on('message', ({ items }: { items: number }) => {
  const all = Array.from({ length: items }, (_, index) => `/item/${index + 1}`)
  const answer = (path: string): Answer | undefined => {
    if (path === '/' || /^\/item\/\d+$/.test(path)) return shell
    if (path === '/app.js') return script
    if (path === '/api/.json') return data('Front page', all)
    const item = Number(/^\/api\/item\/(\d+)\.json$/.exec(path)?.[1])
    return item ? data(`Item ${item}`, ['/', `/item/${(item % items) + 1}`]) : undefined
  }
  void startServer(answer).then(({ origin }) => process.send?.({ origin }))
})
