import { attributionsIn, sourcesIn, statisticsIn } from '../evidence.ts'
import { textOf } from '../page.ts'
import { type GeoCheck, grade, overPages } from './check.ts'

const DAY = 24 * 3600 * 1000
/** Days within which a page is fresh, and after which it is old. */
const FRESH = 365
const OLD = 730
const STATISTICS = 3
const SOURCES = 2
const KEPT = 10

const json = (data: object) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`
const article = (dateModified: string) =>
  json({ '@context': 'https://schema.org', '@type': 'Article', dateModified })

/** Whether what the page says can be believed. */
export const evidenceChecks: GeoCheck[] = [
  {
    code: 'statistics',
    area: 'evidence',
    weight: 3,
    title: { it: 'Il testo porta numeri precisi', en: 'The text has exact figures' },
    fix: {
      it: 'Sostituisci gli aggettivi con numeri: percentuali, prezzi, misure, durate; almeno tre per pagina.',
      en: 'Put figures in the place of adjectives: percentages, prices, measures, times; at least three a page.',
    },
    judge: overPages((page) => {
      const found = statisticsIn(textOf(page))
      return {
        share: grade(found.length, 0, STATISTICS),
        value: found.length,
        evidence: found.slice(0, KEPT),
      }
    }),
    examples: {
      pass: [
        '<p>Il 45% dei 1.200 clienti compra a 89,90 €',
        '<p>2.5 million users in 3 years, 7 out of 10 for £20',
      ],
      warn: ['<p>Costa 20 euro', '<p>Up to 30 percent in 1999'],
      fail: ['<p>Chapter 3 of 2024, page A4', '<footer>10% 20% 30%</footer>'],
    },
  },
  {
    code: 'sources_cited',
    area: 'evidence',
    weight: 4,
    title: { it: 'Il testo cita le sue fonti', en: 'The text cites its sources' },
    fix: {
      it: 'Di’ da dove vengono dati e affermazioni («secondo…», «fonte: …»), collega le fonti nel testo e riporta citazioni con `<blockquote>`.',
      en: 'Say where data and statements come from (“according to…”, “source: …”), link to the sources in the text and quote with `<blockquote>`.',
    },
    judge: overPages((page) => {
      const { quotes, links } = page.passages
      const sources = [...sourcesIn(links, page.url), ...attributionsIn(textOf(page))]
      return {
        share: grade(sources.length + quotes, 0, SOURCES),
        value: { sources: sources.length, quotes },
        evidence: sources.slice(0, KEPT),
      }
    }),
    examples: {
      pass: [
        '<p><a href="https://istat.it/x">Istat</a> and <a href="https://who.int/">WHO</a>',
        '<p>Secondo uno studio, <blockquote>scarpe</blockquote>',
        '<p>According to the BBC; source: <a href="https://bbc.co.uk/">BBC</a>',
      ],
      warn: [
        '<p><a href="https://istat.it/x">Istat</a> <a href="https://istat.it/y">again</a>',
        '<p>Fonte: Istat',
      ],
      fail: [
        '<p>text <a href="/here">here</a> <a href="https://www.example.test/">home</a>',
        '<p><a href="https://facebook.com/us">a</a> <a href="https://x.com/us">b</a>',
        '<footer><a href="https://who.int/">WHO</a> <a href="https://istat.it/">Istat</a></footer>',
      ],
    },
  },
  {
    code: 'fresh',
    area: 'evidence',
    weight: 4,
    title: {
      it: 'La pagina dice quando è stata aggiornata, da non più di un anno',
      en: 'The page says when it was updated, a year ago at most',
    },
    fix: {
      it: 'Aggiorna il testo e mostrane la data, anche come `dateModified` nei dati strutturati.',
      en: 'Update the text and show its date, also as `dateModified` in the structured data.',
    },
    judge: overPages(({ facts: { dates } }, { now }) => {
      const past = [...dates.modified, ...dates.published, ...dates.shown].filter(
        (date) => date <= now.getTime() + DAY,
      )
      if (past.length === 0) return { share: 0, value: null }
      const newest = Math.max(...past)
      const days = (now.getTime() - newest) / DAY
      return {
        share: days <= FRESH ? 1 : days <= OLD ? 0.5 : 0,
        value: new Date(newest).toISOString().slice(0, 10),
      }
    }, 'subjects'),
    examples: {
      pass: [
        article('2026-05-01'),
        '<p>Updated <time class=updated datetime="2025-09-01">',
        { url: 'https://example.test/', html: '<p>home', others: { '/a': article('2026-05-01') } },
      ],
      warn: [article('2025-01-01')],
      fail: ['<p>text', article('2020-01-01'), article('2031-01-01')],
    },
  },
]
