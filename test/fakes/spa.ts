import { words } from './site/html.ts'
import { type Answer, type FakeServer, startServer } from './site/server.ts'

/** Routes of the application, `/item/1` and on; the front page links them all. */
const ITEMS = 60

/** A site whose pages are filled by their scripts, each odd page under the path that names what is odd. */
export function startSpa(): Promise<FakeServer> {
  return startServer(
    (path, request) => answers(request.headers.cookie)[path.replace(/\?.*/, '')] ?? byPattern(path),
  )
}

const script = (body: string): Answer => ({ headers: { 'content-type': 'text/javascript' }, body })
const json = (data: object): Answer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(data),
})

/** The application's shell: no text, no links. */
const shell: Answer = {
  body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Loading</title>
<link rel="stylesheet" href="/app.css"></head><body><div id="root"></div><script src="/app.js"></script></body></html>`,
}

/** A page whose own script does what its path says. */
const page = (source: string, body = ''): Answer => ({
  body: `<!doctype html><html><head><title>Odd</title></head><body><div id="root">${body}</div>
<script>
const show = (html) => { document.getElementById('root').innerHTML = html }
const full = '<h1>Filled</h1><p>${words(60, 'full')}</p><a href="/a">a</a><a href="/b">b</a><a href="/c">c</a>'
${source}
</script></body></html>`,
})

const appScript = `
async function draw() {
  const answer = await fetch('/api' + location.pathname + '.json')
  const { title, text, links } = await answer.json()
  document.title = title
  const root = document.getElementById('root')
  root.innerHTML = '<h1></h1><img src="/photo" width="9" height="9" alt="photo" onerror="this.src=\\'/broken.png\\'"><p></p><nav></nav>'
  root.querySelector('h1').textContent = title
  root.querySelector('p').textContent = text
  for (const href of links) {
    const link = document.createElement('a')
    link.href = href
    link.textContent = 'Go to ' + href
    root.querySelector('nav').append(link)
  }
}
draw()`

const answers = (cookie: string | undefined): Record<string, Answer> => ({
  '/': shell,
  '/app.js': script(appScript),
  '/app.css': {
    headers: { 'content-type': 'text/css' },
    body: '@font-face { font-family: own; src: url(/own.woff2) } body { font-family: own; background: url(/back) }',
  },
  '/static': { body: `<!doctype html><title>Static</title><h1>Static</h1><p>${words(300, 'static')}</p>` },
  // Fills itself after two seconds in which nothing happens.
  '/late': page('setTimeout(() => show(full), 2000)'),
  '/polling': page(`show(full); let count = 0
    setInterval(async () => { await fetch('/api/tick'); document.title = 'Tick ' + ++count }, 50)`),
  '/dialogs': page(`alert(1); if (!confirm('?') && prompt('?') === null) show(full)
    addEventListener('beforeunload', (event) => { event.preventDefault(); return 'stay' })
    open('/popup'); open('/popup', '_blank', 'noopener'); const a = document.createElement('a')
    a.href = '/popup'; a.target = '_blank'; document.body.append(a); a.click(); a.remove()`),
  '/loop': page('show(full); setTimeout(() => { while (true) {} }, 100)'),
  '/hang': page('for (;;) {}'),
  '/moves': page(`location.replace('/item/7')`),
  '/routes': page(
    `fetch('/api/item/2.json').then(() => { history.pushState({}, '', '/item/2'); show(full) })`,
  ),
  '/restless': page(`location.href = '/restless?' + Math.random()`),
  '/greedy': page(`for (let i = 0; i < 2000; i++) fetch('/api/many/' + i); show(full)`),
  '/heavy': page(
    `show(full); (async () => { for (let i = 0; i < 20; i++) await (await fetch('/blob?' + i)).text() })()`,
  ),
  '/blob': { headers: { 'content-type': 'text/plain' }, body: Buffer.alloc(2 ** 20, 'x') },
  '/large': page(`show('<p>' + 'x'.repeat(2 * 2 ** 20) + '</p>')`),
  '/shadow': page(`customElements.define('my-card', class extends HTMLElement { constructor() { super()
    this.attachShadow({ mode: 'open' }).innerHTML = '<a href="/inside">Inside the shadow</a><slot></slot>' } })
    show('<my-card><b>slotted</b></my-card>' + full)`),
  '/worker': page(
    `navigator.serviceWorker.register('/sw.js').then(() => show(full + 'registered'), () => show(full + 'refused'))`,
  ),
  '/sw.js': script(''),
  '/media': page(
    'show(full)',
    `<img src="/photo"><img src="/photo.png"><video src="/film.mp4"></video><audio src="/tune.mp3"></audio>
     <style>@font-face { font-family: own; src: url(/own.woff2) } p { font-family: own }</style>`,
  ),
  '/cookie': {
    ...page(`show(full + 'seen: ' + ${JSON.stringify(cookie ?? 'none')})`),
    headers: { 'set-cookie': 'visitor=one; Path=/' },
  },
  // Tries every address in its query by every way there is, and fills itself when all are done.
  '/prying': page(`
    const query = new URLSearchParams(location.search)
    const tried = query.getAll('to').flatMap((to) => [
      fetch(to, { mode: 'no-cors' }).then((answer) => 'read ' + answer.type),
      new Promise((done) => { const frame = document.createElement('iframe'); frame.src = to; frame.onload = () => done('framed')
        document.body.append(frame) }),
      new Promise((done) => { const made = document.createElement('script'); made.src = to
        made.onload = () => done('ran'); made.onerror = () => done('shut'); document.body.append(made) }),
      navigator.sendBeacon(to),
    ])
    for (const to of query.getAll('ws')) tried.push(new Promise((done) => { const socket = new WebSocket(to)
      socket.onopen = () => done('open'); socket.onerror = () => done('shut') }))
    for (const to of query.getAll('udp')) {
      const servers = [{ urls: 'turn:' + to, username: 'u', credential: 'c' }, ...to.includes('?') ? [] : [{ urls: 'stun:' + to }]]
      const peer = new RTCPeerConnection({ iceServers: servers })
      peer.createDataChannel('c')
      tried.push(peer.createOffer().then((offer) => peer.setLocalDescription(offer))
        .then(() => new Promise((done) => { peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && done()
          setTimeout(done, 1500) })))
    }
    Promise.allSettled(tried).then((all) => show(full + '<pre>' + all.map(({ value, reason }) => value ?? reason).join() + '</pre>'))`),
  '/api/tick': json({}),
  '/api/.json': json({
    title: 'Front page',
    text: words(80, 'front'),
    links: Array.from({ length: ITEMS }, (_, index) => `/item/${index + 1}`),
  }),
})

function byPattern(path: string): Answer | undefined {
  if (/^\/item\/\d+$/.test(path)) return shell
  const item = Number(/^\/api\/item\/(\d+)\.json$/.exec(path)?.[1])
  if (!(item <= ITEMS)) return undefined
  const next = (item % ITEMS) + 1
  return json({ title: `Item ${item}`, text: words(120, item), links: ['/', `/item/${next}`, '/static'] })
}
