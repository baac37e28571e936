import type { KeptAnswer } from '../../sql/ai-answers.ts'
import type { Means } from '../../tasks/ai/asking/analysis.ts'
import type { Tools } from '../../tasks/outcome.ts'
import type { Answer, AnswerEngine, EngineName, Question } from '../../tasks/upstream/answer-engine.ts'
import { UpstreamFault } from '../../tasks/upstream/fault.ts'
import { log } from '../../telemetry.ts'

type Said = string | Partial<Answer>
type Script = {
  /** What is answered to a prompt. */
  say?: (prompt: string, question: Question) => Said | Promise<Said>
  /** What is read out of data; by default nothing fits. */
  read?: (data: string, instructions: string) => unknown
}

export type ScriptedEngine = AnswerEngine & { asked: Question[]; read: string[] }

/** An engine that says what it is told to, and notes what it was asked. */
export function scriptedEngine(name: EngineName, { say = () => '', read }: Script): ScriptedEngine {
  const usage = { inputTokens: 10, outputTokens: 20, searches: 1, usd: 0.01 }
  const model = `${name}-1`
  const engine: ScriptedEngine = {
    name,
    asked: [],
    read: [],
    async ask(question) {
      engine.asked.push(question)
      const said = await say(question.prompt, question)
      const given = typeof said === 'string' ? { text: said } : said
      return {
        engine: name,
        model,
        text: '',
        citations: [],
        retrieved: [],
        queries: [],
        ended: 'whole',
        usage,
        ...given,
      }
    },
    async extract({ schema, instructions, data }) {
      engine.read.push(data)
      const found = schema.safeParse(await read?.(data, instructions))
      if (!found.success) throw new UpstreamFault('temporary', `${name} answers what does not fit`)
      return { value: found.data, model, usage }
    },
  }
  return engine
}

/** A cited page. */
export const cite = (url: string, passage: string | null = null) => ({
  url,
  host: new URL(url).hostname.replace(/^www\./, ''),
  title: null,
  passage,
})

export type ScriptedMeans = Means & { stored: KeptAnswer[] }

/** Engines, and books in memory. */
export function meansOf(
  engines: AnswerEngine[],
  { seconds = 20, left = Infinity, stored = [] as KeptAnswer[] } = {},
) {
  const means: ScriptedMeans = {
    engines,
    seconds,
    stored,
    books: {
      kept: async () => [...stored],
      keep: async (_run, answers) => void stored.push(...answers),
      left: async () => left - stored.reduce((sum, { usage }) => sum + usage.usd, 0),
    },
  }
  return means
}

export const workerTools = (signal = new AbortController().signal): Tools => ({
  log,
  signal,
  workerId: '00000000-0000-4000-8000-000000000002',
})

export const run = { user: 1, run: '00000000-0000-4000-8000-000000000001', locale: 'it' as const }
