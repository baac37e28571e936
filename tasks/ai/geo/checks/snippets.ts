import { type GeoCheck, grade } from './check.ts'

const SNIPPET = /^(nosnippet|noai|noimageai|max-snippet)/
/** Characters of a passage that says something. */
const SNIPPET_LENGTH = 160
/** Share of the main text that may be withheld from answers. */
const WITHHELD = 0.1

/** Whether answer engines may keep the page, and quote it. */
export const snippetChecks: GeoCheck[] = [
  {
    code: 'page_indexable',
    area: 'access',
    weight: 3,
    title: { it: 'La pagina può essere indicizzata', en: 'The page may be indexed' },
    fix: {
      it: 'Togli `noindex` dalla pagina e dall’intestazione X-Robots-Tag, e fai puntare l’indirizzo canonico alla pagina stessa.',
      en: 'Remove `noindex` from the page and from the X-Robots-Tag header, and let the canonical address be the page’s own.',
    },
    judge({ pages: [{ view }] }) {
      const { isNoindex, isCanonicalised, canonical } = view
      return {
        share: isNoindex ? 0 : isCanonicalised ? 0.5 : 1,
        value: { noindex: isNoindex, canonical },
        evidence: isCanonicalised && canonical !== null ? [canonical] : [],
      }
    },
    examples: {
      pass: ['<p>text', '<link rel=canonical href="https://example.test/page">'],
      warn: ['<link rel=canonical href="/other">'],
      fail: ['<meta name=robots content=noindex>', { headers: { 'x-robots-tag': 'none' } }],
    },
  },
  {
    code: 'snippets_allowed',
    area: 'access',
    weight: 2,
    title: { it: 'Il testo può essere citato nelle risposte', en: 'The text may be quoted in answers' },
    fix: {
      it: 'Togli `nosnippet`, `noai` e `max-snippet` con un limite basso dai meta robots e da X-Robots-Tag, e `data-nosnippet` dal testo da citare.',
      en: 'Remove `nosnippet`, `noai` and a low `max-snippet` from robots metas and X-Robots-Tag, and `data-nosnippet` from text that is to be quoted.',
    },
    judge({ pages: [{ facts, view, passages }] }) {
      const controls = [...facts.robots, ...view.headerRobots].filter((directive) => SNIPPET.test(directive))
      const limits = controls.flatMap((directive) => /^max-snippet:\s*(-?\d+)/.exec(directive)?.[1] ?? [])
      const shortest = Math.min(...limits.map(Number).filter((limit) => limit >= 0), Infinity)
      const isForbidden = shortest === 0 || controls.some((directive) => /^(nosnippet|noai)$/.test(directive))
      const withheld = passages.length === 0 ? 0 : passages.withheld / passages.length
      return {
        share: isForbidden ? 0 : Math.min(shortest < SNIPPET_LENGTH ? 0.5 : 1, grade(withheld, 1, WITHHELD)),
        value: { directives: controls.join(', '), withheld_share: Math.round(100 * withheld) / 100 },
        evidence: controls,
      }
    },
    examples: {
      pass: [
        '<p>text',
        '<meta name=robots content="max-snippet:-1, max-image-preview:large">',
        '<p>a long text of many words</p><p data-nosnippet>x</p>',
      ],
      warn: ['<meta name=robots content="max-snippet:50">', '<p>text</p><p data-nosnippet>text</p>'],
      fail: [
        '<meta name=robots content=nosnippet>',
        '<meta name=googlebot content="max-snippet:0">',
        '<meta name=robots content="noai, noimageai">',
        { headers: { 'x-robots-tag': 'nosnippet' } },
        '<div data-nosnippet><p>text</div>',
      ],
    },
  },
]
