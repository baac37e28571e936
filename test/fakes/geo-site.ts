import type { Answer } from './site/server.ts'

export type GeoPages = Record<string, Answer | ((agent: string) => Answer)>

const json = (data: object) =>
  `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', ...data })}</script>`
const text = (body: string, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
})
const sentences = 'Il cuoio viene da Firenze e dura a lungo. La suola si cuce a mano. '.repeat(30)
const today = new Date().toISOString().slice(0, 10)

const article = (
  title: string,
) => `<!doctype html><html lang="it"><head><meta charset="utf-8"><title>${title}</title>
<meta name="description" content="Tutto su ${title.toLowerCase()}">
${json({
  '@type': 'Article',
  headline: title,
  datePublished: '2020-01-01',
  dateModified: today,
  author: { '@type': 'Person', name: 'Ada Rossi' },
  publisher: {
    '@type': 'Organization',
    name: 'Scarpe Rossi',
    url: 'https://scarpe.test/',
    logo: '/logo.png',
    sameAs: ['https://www.wikidata.org/wiki/Q1', 'https://www.linkedin.com/company/scarpe-rossi'],
  },
})}</head><body>
<nav><a href="/chi-siamo">Chi siamo</a> <a href="/contatti">Contatti</a> <a href="/privacy">Privacy</a></nav>
<main><h1>${title}</h1><p>${sentences}</p>
<h2>Quanto costa un paio di scarpe?</h2><p>Un paio costa 180 euro. Dura 10 anni, e il 70% dei clienti ritorna.</p>
<h2>Come si scelgono le scarpe?</h2><ul><li>per misura: dal 36 al 46</li><li>per cuoio: vitello o capra</li></ul>
<p>Secondo uno studio di <a href="https://www.istat.it/studio">Istat</a>, <blockquote>le scarpe contano</blockquote></p>
<p><a href="/come-si-curano-le-scarpe">La cura</a> <a href="/vietata-agli-altri-robot">Vietata</a></p></main></body></html>`

/** A site that answer engines like; `origin` is its own. */
export const goodSite = (origin: string): GeoPages => ({
  '/': { body: article('Scarpe fatte a mano') },
  '/chi-siamo': { body: article('Chi siamo') },
  '/contatti': { body: article('Contatti') },
  '/come-si-curano-le-scarpe': { body: article('Come si curano le scarpe') },
  '/solo-nella-mappa-del-sito': { body: article('Dalla mappa') },
  '/vietata-agli-altri-robot': { body: article('Vietata') },
  '/robots.txt': text(
    `User-agent: *\nDisallow: /vietata\n\nUser-agent: GPTBot\nDisallow: /\n\nSitemap: ${origin}/sitemap.xml`,
  ),
  '/sitemap.xml': {
    headers: { 'content-type': 'application/xml' },
    body: `<urlset><url><loc>${origin}/</loc></url><url><loc>${origin}/solo-nella-mappa-del-sito</loc></url></urlset>`,
  },
  '/llms.txt': text(
    `# Scarpe Rossi\n\n> Scarpe fatte a mano a Firenze.\n\n- [Chi siamo](${origin}/chi-siamo)`,
  ),
})

/** The same text, but only for who runs scripts; and a site that keeps nearly everybody out. */
export const badSite = (): GeoPages => ({
  '/': {
    headers: { 'x-robots-tag': 'nosnippet' },
    body: '<html><head><title>App</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>',
  },
  '/app.js': {
    headers: { 'content-type': 'text/javascript' },
    body: `document.getElementById('root').innerHTML = ${JSON.stringify(/<main>.*<\/main>/s.exec(article('App'))?.[0])}`,
  },
  '/robots.txt': text(
    'User-agent: OAI-SearchBot\nUser-agent: ChatGPT-User\nUser-agent: ClaudeBot\nUser-agent: GPTBot\nDisallow: /',
  ),
})
