import { addsSubstantially, needsBrowser } from '../../../crawl/render.ts'
import type { GeoPage } from '../page.ts'
import { type GeoCheck, grade, overPages, type Verdict } from './check.ts'

/** Words of the main text: an answer can be found in these, and in none fewer than those. */
const ENOUGH = 300
const HARDLY = 50
/** A text of so many words is the page, whatever its scripts add. */
const FILLED = 200
/** Milliseconds within which a page answers well, and after which who asked has given up. */
const QUICK_MS = 1500
const SLOW_MS = 5000
/** Characters of HTML: some fifty thousand tokens; more than most agents read. */
const LIGHT = 200_000
const HEAVY = 2_000_000

const words = (count: number) => `<p>${'word '.repeat(count)}</p>`
const app = '<div id=root></div><script src=/app.js></script>'

/** What a browser shows, compared with what agents get; without a browser by the signs of an empty shell. */
function withoutScripts({ facts }: GeoPage, rendered: GeoPage | null): Verdict {
  const { mainWords } = facts.text
  if (rendered) {
    const shown = rendered.facts.text.mainWords
    const isLess = addsSubstantially(facts, rendered.facts)
    return {
      share: isLess ? Math.min(0.9, mainWords / Math.max(shown, 1)) : 1,
      value: { words: mainWords, words_with_scripts: shown },
    }
  }
  const value = { words: mainWords, words_with_scripts: null }
  if (needsBrowser(facts)) return { share: 0, value, evidence: facts.scriptSources.slice(0, 5) }
  return { share: facts.scripts === 0 || mainWords >= FILLED ? 1 : null, value }
}

/** Whether an agent that runs no scripts gets the text, and enough of it. */
export const contentChecks: GeoCheck[] = [
  {
    code: 'content_without_js',
    area: 'content',
    weight: 10,
    title: {
      it: 'Il contenuto è nell’HTML, senza bisogno di JavaScript',
      en: 'The content is in the HTML, with no need of JavaScript',
    },
    fix: {
      it: 'Fai produrre al server l’HTML completo (rendering lato server o pagine statiche): gli agenti AI non eseguono gli script.',
      en: 'Let the server send the whole HTML (server-side rendering or static pages): AI agents run no scripts.',
    },
    judge: overPages((page, { pages, rendered }) =>
      withoutScripts(page, page === pages[0] ? rendered : null),
    ),
    examples: {
      pass: [words(300), '<p>short', { html: words(300) + app, rendered: words(320) }, words(250) + app],
      warn: [{ html: words(100) + app, rendered: words(400) }],
      fail: [app, { html: app, rendered: words(400) }],
      unknown: [`${words(100)}<script src=/app.js></script>`],
    },
  },
  {
    code: 'content_enough',
    area: 'content',
    weight: 5,
    title: {
      it: 'C’è abbastanza testo per trovarvi una risposta',
      en: 'There is text enough to find an answer in',
    },
    fix: {
      it: 'Scrivi almeno 300 parole sull’argomento della pagina, oltre a menu e piè di pagina.',
      en: 'Write at least 300 words on the subject of the page, menus and footer apart.',
    },
    judge: overPages(({ facts: { text } }) => ({
      share: grade(text.mainWords, HARDLY, ENOUGH),
      value: text.mainWords,
    })),
    examples: {
      pass: [words(300)],
      warn: [words(100), { html: words(300), others: { '/a-b-c': words(10) } }],
      fail: [words(50), `<nav>${words(400)}</nav>`, ''],
    },
  },
  {
    code: 'response_quick',
    area: 'content',
    weight: 3,
    title: { it: 'La pagina risponde in fretta', en: 'The page answers quickly' },
    fix: {
      it: 'Porta la risposta completa sotto 1,5 secondi, con una cache o una CDN: chi legge una pagina per rispondere subito non aspetta.',
      en: 'Bring the whole answer below 1.5 seconds, with a cache or a CDN: who reads a page in order to answer now does not wait.',
    },
    judge({ pages: [{ view }] }) {
      const ms = Math.round(view.visit.totalMs ?? 0)
      return { share: grade(ms, SLOW_MS, QUICK_MS), value: ms }
    },
    examples: { pass: ['', { ms: 1500 }], warn: [{ ms: 3000 }], fail: [{ ms: 5000 }, { ms: 60_000 }] },
  },
  {
    code: 'page_light',
    area: 'content',
    weight: 2,
    title: {
      it: 'L’HTML è abbastanza breve da essere letto per intero',
      en: 'The HTML is short enough to be read whole',
    },
    fix: {
      it: 'Sposta script, stili e dati in file propri e dividi le pagine molto lunghe: oltre 200.000 caratteri molti agenti tagliano.',
      en: 'Move scripts, styles and data into files of their own and divide very long pages: many agents cut after 200,000 characters.',
    },
    judge: overPages(({ facts: { htmlLength }, view: { visit } }) => ({
      share: visit.truncated ? 0 : grade(htmlLength, HEAVY, LIGHT),
      value: htmlLength,
    })),
    examples: {
      pass: [words(100)],
      warn: [`<style>${'x'.repeat(1_000_000)}</style>`],
      fail: [`<style>${'x'.repeat(2_000_000)}</style>`, { truncated: true }],
    },
  },
]
