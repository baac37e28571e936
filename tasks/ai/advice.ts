import { z } from 'zod'

import type { Analysis } from './asking/analysis.ts'
import { extract } from './asking/extract.ts'
import { nameOf } from './languages.ts'
import type { Duel } from './reading/duels.ts'
import type { Source } from './reading/sources.ts'

/** What a report tells of its subject. */
export type Findings = {
  subject: string
  mentions: number
  citations: number | null
  first: number
  head_to_head: ({ competitor: string } & Duel)[]
  gaps: { prompt: string; competitors: string[] }[]
  source_gaps: Source[]
}

/** Gaps, competitors and hosts that advice names. */
const NAMED = 3
const TRANSLATING = 0.98
const Translated = z.object({ lines: z.array(z.string()) })

/** What each subject should do, in a language: Italian and English of our own, others as an engine translates them. */
export async function advise(
  analysis: Analysis,
  subjects: readonly Findings[],
  language: string,
): Promise<string[][]> {
  if (language === 'it' || language === 'en') return subjects.map((findings) => linesOf(findings, language))
  const advice = subjects.map((findings) => linesOf(findings, 'en'))
  const lines = advice.flat()
  const read = await extract(
    analysis,
    'advice',
    {
      schema: Translated,
      instructions: `Translate each line of the data into ${nameOf(language)}, in the same order, one for one. Leave names and quoted prompts as they are.`,
      data: JSON.stringify({ lines }),
    },
    TRANSLATING,
  )
  const translated = read?.value.lines
  if (translated?.length !== lines.length) return advice
  let at = 0
  return advice.map((own) => own.map(() => translated[at++]!))
}

function linesOf(findings: Findings, language: 'it' | 'en'): string[] {
  const { subject, mentions, citations, first, head_to_head: duels, gaps, source_gaps: sources } = findings
  const say = words[language]
  const stronger = duels
    .filter(({ wins, losses }) => losses > wins)
    .toSorted((a, b) => b.losses - b.wins - (a.losses - a.wins))
  return [
    mentions === 0 && (citations ?? 0) === 0 && say.absent(subject),
    ...gaps.slice(0, NAMED).map(({ prompt, competitors }) => say.gap(prompt, competitors.join(', '))),
    ...stronger
      .slice(0, NAMED)
      .map(({ competitor, wins, losses, ties }) => say.loses(competitor, losses, wins + losses + ties)),
    sources.length > 0 &&
      say.sources(
        sources
          .slice(0, NAMED)
          .map(({ host }) => host)
          .join(', '),
      ),
    mentions > 0 && citations === 0 && say.uncited(subject),
    mentions > 0 && first === 0 && say.neverFirst(subject),
    mentions > 0 && gaps.length === 0 && stronger.length === 0 && say.ahead(subject),
  ].filter((line) => line !== false)
}

const words = {
  it: {
    absent: (brand: string) =>
      `${brand} non compare in nessuna risposta: servono pagine che rispondano a queste domande e menzioni su siti terzi.`,
    gap: (prompt: string, names: string) =>
      `Pubblica una pagina che risponda a «${prompt}»: lì compaiono ${names} e tu no.`,
    loses: (name: string, losses: number, all: number) =>
      `${name} ti precede in ${losses} risposte su ${all}: confronta apertamente le due offerte, con dati verificabili.`,
    sources: (hosts: string) => `Fatti conoscere dalle fonti delle risposte in cui manchi: ${hosts}.`,
    uncited: (brand: string) =>
      `${brand} è nominato ma il suo sito non è mai citato: offri pagine con risposte dirette, dati e date che valga la pena citare.`,
    neverFirst: (brand: string) =>
      `${brand} non è mai il primo nome: chiarisci per chi e per che cosa è la scelta migliore, e fallo dire ad altri.`,
    ahead: (brand: string) =>
      `${brand} è davanti ai concorrenti: tieni aggiornate le pagine citate e ripeti l'analisi tra qualche settimana.`,
  },
  en: {
    absent: (brand: string) =>
      `${brand} is in no answer: it takes pages that answer these questions, and mentions on others' sites.`,
    gap: (prompt: string, names: string) =>
      `Publish a page that answers “${prompt}”: ${names} appear there and you do not.`,
    loses: (name: string, losses: number, all: number) =>
      `${name} is before you in ${losses} of ${all} answers: compare the two offers openly, with facts that can be checked.`,
    sources: (hosts: string) => `Become known to the sources of the answers that lack you: ${hosts}.`,
    uncited: (brand: string) =>
      `${brand} is named, but its site is never cited: offer pages with direct answers, facts and dates worth citing.`,
    neverFirst: (brand: string) =>
      `${brand} is never the first name: make clear for whom and for what it is the best choice, and have others say so.`,
    ahead: (brand: string) =>
      `${brand} is ahead of its competitors: keep the cited pages up to date, and repeat the analysis in some weeks.`,
  },
}
