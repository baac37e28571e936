import { fold, keyOf } from '../reading/fold.ts'

export const intents = ['informational', 'commercial', 'comparison', 'transactional', 'navigational'] as const
export type Intent = (typeof intents)[number]
export const stages = ['awareness', 'consideration', 'decision', 'retention'] as const
export type Stage = (typeof stages)[number]
export const kinds = ['question', 'comparison', 'best-of', 'how-to', 'local', 'statement'] as const
export type Kind = (typeof kinds)[number]

/** Code points of a prompt. */
const LENGTH = 500
/** Prompts that share this part of their words say the same. */
const ALIKE = 0.8

/** Prompts as they are asked: in one line, cut, without empty ones and repetitions, at most so many. */
export function tidy(prompts: readonly string[], most: number): string[] {
  const met = new Set<string>()
  const kept: string[] = []
  for (const prompt of prompts) {
    const line = [...prompt.replaceAll('\0', '').replace(/\s+/g, ' ').trim().toWellFormed()]
      .slice(0, LENGTH)
      .join('')
      .trim()
    const key = keyOf(line) || line
    if (kept.length >= most || line === '' || met.has(key)) continue
    met.add(key)
    kept.push(line)
  }
  return kept
}

/** Leaves out what an earlier one says in nearly the same words. */
export function distinct<T extends { text: string }>(prompts: readonly T[]): T[] {
  const kept: { prompt: T; words: Set<string> }[] = []
  for (const prompt of prompts) {
    const words = new Set(keyOf(prompt.text).split(' ').filter(Boolean))
    if (kept.every((one) => likeness(one.words, words) < ALIKE)) kept.push({ prompt, words })
  }
  return kept.map(({ prompt }) => prompt)
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length
  const all = a.size + b.size - common
  return all === 0 ? 1 : common / all
}

const COMPARISON =
  /\b(vs\.?|versus|o meglio|rispetto a|confronto|confronta|differenz[ae]|alternativ[ae]|compar(?:e|ed|ison)|difference|better than|alternatives?)\b/
const BEST = /\b(miglior[ei]?|top|best|consigliat[oaie]|classifica|recommended|leader)\b/
const BUY =
  /\b(compr\w*|acquist\w*|prezz[oi]|cost[aoi]\w*|offert[ae]|sconto|preventivo|abbonamento|ordinare|prenot\w*|buy|price|pricing|cheap\w*|discount|order|subscribe|book|cost|quote)\b/
const GO =
  /\b(sito ufficiale|login|accedi|accedere|contatti|numero verde|assistenza|orari|official (?:site|website)|sign in|log in|contact|customer service|opening hours)\b/
const JUDGE =
  /\b(recension[ei]|opinion[ei]|affidabil[ei]|conviene|vale la pena|pro e contro|vantaggi|reviews?|reliable|trustworthy|worth it|pros and cons|legit)\b/
const HOW = /^(come|how)\b|\b(guida|tutorial|passo passo|step by step|how to)\b/
const KEEP =
  /\b(cancell\w*|disdi\w*|rinnov\w*|assistenza|problem[ai]|non funziona|configur\w*|aggiorn\w*|cancel|renew|support|not working|troubleshoot\w*|set up|upgrade)\b/
const LOCAL = /\b(vicino a me|vicin[oa]|in zona|nei dintorni|near me|nearby|in my area)\b/
const ASKS =
  /^(come|cosa|che|chi|perche|quando|quanto|quanta|quanti|quante|quale|quali|qual|dove|how|what|why|when|where|which|who|is|are|can|does|do|should)\b|\?\s*$/

/** What a prompt is after, by its words in Italian and English. */
export function classify(text: string): { intent: Intent; funnel_stage: Stage; type: Kind } {
  const line = fold(text)
  const intent = GO.test(line)
    ? 'navigational'
    : COMPARISON.test(line)
      ? 'comparison'
      : BUY.test(line)
        ? 'transactional'
        : BEST.test(line) || JUDGE.test(line)
          ? 'commercial'
          : 'informational'
  const funnel_stage = KEEP.test(line) ? 'retention' : stageOf[intent]
  return { intent, funnel_stage, type: typeOf(line) }
}

const stageOf = {
  informational: 'awareness',
  commercial: 'consideration',
  comparison: 'consideration',
  transactional: 'decision',
  navigational: 'decision',
} as const satisfies Record<Intent, Stage>

/** The form of a folded prompt. */
function typeOf(line: string): Kind {
  if (LOCAL.test(line)) return 'local'
  if (COMPARISON.test(line)) return 'comparison'
  if (BEST.test(line)) return 'best-of'
  if (HOW.test(line)) return 'how-to'
  return ASKS.test(line) ? 'question' : 'statement'
}
