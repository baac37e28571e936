import { hasLlmsTxt, isLlmsTxt } from '../../../crawl/probes/checks/ai.ts'
import type { GeoSite } from '../site.ts'
import { type GeoCheck, overPages } from './check.ts'

const json = (data: string) => `<script type="application/ld+json">${data}</script>`
const article = '{"@context": "https://schema.org", "@type": "Article", "headline": "Shoes"}'
const llms = (text: string, status = 200, contentType = 'text/plain') => ({
  llms: { status, contentType, text },
})
const GUIDE =
  '# Example\n\n> Handmade shoes from Florence.\n\n- [Prices](https://example.test/prices): all of them'
const sitemap = (state: NonNullable<GeoSite['sitemaps']>['files'][number]['state']) => ({
  sitemaps: {
    named: 1,
    files: [{ url: 'https://example.test/s.xml', state, large: false, urls: 3 }],
    offsite: 0,
    insecure: 0,
  },
})

/** Whether machines find the pages, and are told what is on them. */
export const discoveryChecks: GeoCheck[] = [
  {
    code: 'schema_present',
    area: 'discovery',
    weight: 3,
    title: { it: 'I dati strutturati descrivono la pagina', en: 'Structured data describe the page' },
    fix: {
      it: 'Descrivi la pagina in JSON-LD con il tipo schema.org adatto (Article, Product, Service, LocalBusiness…).',
      en: 'Describe the page in JSON-LD with the schema.org type that fits (Article, Product, Service, LocalBusiness…).',
    },
    judge: overPages(({ facts: { schema } }) => ({
      share: schema.types.length > 0 ? 1 : 0,
      value: schema.types.length,
      evidence: schema.types.slice(0, 20),
    })),
    examples: {
      pass: [json(article), '<div itemscope itemtype="https://schema.org/Product"></div>'],
      warn: [{ html: json(article), others: { '/a': '<p>text' } }],
      fail: ['<p>text', json('{')],
    },
  },
  {
    code: 'schema_sound',
    area: 'discovery',
    weight: 2,
    title: {
      it: 'I dati strutturati sono validi e completi',
      en: 'The structured data are valid and complete',
    },
    fix: {
      it: 'Correggi la sintassi del JSON-LD e aggiungi `@context`, `@type` e le proprietà richieste dai tipi elencati.',
      en: 'Correct the syntax of the JSON-LD and add `@context`, `@type` and the properties that the types listed require.',
    },
    judge: overPages(({ facts: { schema } }) => {
      const { types, invalid, untyped, incomplete } = schema
      const isThere = types.length > 0 || invalid > 0 || untyped > 0
      const faults = Number(invalid + untyped > 0) + Number(incomplete.length > 0)
      return { share: isThere ? 1 - faults / 2 : null, value: { invalid, untyped }, evidence: incomplete }
    }),
    examples: {
      pass: [json(article)],
      warn: [json('{"@context": "https://schema.org", "@type": "Article"}'), json(article) + json('{')],
      fail: [json('{"@type": "Article"}')],
      unknown: ['<p>text'],
    },
  },
  {
    code: 'page_described',
    area: 'discovery',
    weight: 2,
    title: {
      it: 'La pagina ha titolo, descrizione e lingua',
      en: 'The page has a title, a description and a language',
    },
    fix: {
      it: 'Scrivi `<title>` e meta description propri della pagina, e la lingua in `<html lang>`.',
      en: 'Write a `<title>` and a meta description of the page’s own, and the language in `<html lang>`.',
    },
    judge: overPages(({ facts: { title, metaDescription, lang } }) => ({
      share: [title, metaDescription, lang].filter(Boolean).length / 3,
      value: { title, description: metaDescription, language: lang },
    })),
    examples: {
      pass: ['<html lang=it><title>Scarpe</title><meta name=description content="Scarpe fatte a mano">'],
      warn: ['<title>Shoes</title>'],
      fail: ['<p>text'],
    },
  },
  {
    code: 'sitemap_present',
    area: 'discovery',
    weight: 1,
    title: { it: 'C’è una sitemap che si può leggere', en: 'There is a sitemap that can be read' },
    fix: {
      it: 'Pubblica una sitemap XML valida e nominala in robots.txt con `Sitemap:`.',
      en: 'Publish a valid XML sitemap and name it in robots.txt with `Sitemap:`.',
    },
    judge({ sitemaps }) {
      const states = sitemaps?.files.map(({ state }) => state) ?? []
      const share = states.includes('read')
        ? 1
        : states.includes('invalid')
          ? 0.5
          : states.includes('unknown')
            ? null
            : 0
      return {
        share: sitemaps === null ? null : share,
        value: sitemaps && sitemaps.files.reduce((sum, { urls }) => sum + urls, 0),
        evidence: sitemaps?.files.filter(({ state }) => state === 'read').map(({ url }) => url) ?? [],
      }
    },
    examples: {
      pass: [sitemap('read')],
      warn: [sitemap('invalid')],
      fail: [sitemap('missing'), { sitemaps: { named: 0, files: [], offsite: 0, insecure: 0 } }],
      unknown: ['<p>text', sitemap('unknown')],
    },
  },
  {
    code: 'llms_txt',
    area: 'discovery',
    weight: 1,
    title: { it: 'C’è un /llms.txt valido', en: 'There is a valid /llms.txt' },
    fix: {
      it: 'Metti in /llms.txt un file Markdown: `# Nome del sito`, un riassunto, link alle pagine principali. Pochi agenti lo leggono: per questo vale poco.',
      en: 'Put a Markdown file at /llms.txt: `# Name of the site`, a summary, links to the pages that matter. Few agents read it, so it counts for little.',
    },
    judge({ llms }) {
      if (!llms) return { share: null, value: null }
      const isClear = (llms.status >= 200 && llms.status < 300) || llms.status === 404 || llms.status === 410
      const share = isLlmsTxt(llms) ? 1 : hasLlmsTxt(llms) ? 0.5 : 0
      return { share: isClear ? share : null, value: llms.status }
    },
    examples: {
      pass: [llms(GUIDE)],
      warn: [llms('Welcome')],
      fail: [llms('', 404), llms('<!doctype html><title>Home</title>', 200, 'text/html')],
      unknown: ['<p>text', llms('', 503), llms('', 403)],
    },
  },
]
