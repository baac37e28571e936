import type { AnswerEngine } from './answer-engine.ts'
import { configuredEngines, isBrokered } from './configured.ts'
import { anthropic } from './engines/anthropic.ts'
import { brokered } from './engines/dataforseo.ts'
import { gemini } from './engines/gemini.ts'
import { openAi } from './engines/openai.ts'
import { perplexity } from './engines/perplexity.ts'

const own = { openai: openAi, anthropic, gemini, perplexity }

/** The configured answer engines; their libraries are loaded when one is first asked. */
export function engines(): AnswerEngine[] {
  const through = isBrokered() ? brokered : own
  return configuredEngines().map((name) => through[name])
}
