import type { EngineName } from '../../../tasks/upstream/answer-engine.ts'
import type { Scripted } from '../answer-engines/script.ts'
import { checked, isFlag, isNumber, isText, type Make } from './results.ts'

const names: Record<string, EngineName> = {
  chat_gpt: 'openai',
  claude: 'anthropic',
  gemini: 'gemini',
  perplexity: 'perplexity',
}
const isCountry = (value: unknown) => /^[A-Z]{2}$/.test(String(value))

const common = {
  user_prompt: isText(500),
  model_name: isText(100),
  system_message: isText(500),
  max_output_tokens: isNumber(4096),
  tag: isText(255),
}
/** Each takes other fields. */
const fields = {
  chat_gpt: {
    ...common,
    web_search: isFlag,
    force_web_search: isFlag,
    web_search_country_iso_code: isCountry,
  },
  claude: { ...common, web_search: isFlag, force_web_search: isFlag, web_search_country_iso_code: isCountry },
  gemini: { ...common, web_search: isFlag },
  perplexity: { ...common, web_search_country_iso_code: isCountry },
}

/** What its lists of models offer: one that thinks, one that does not search, one that does. */
export const models = (path: string) => [
  { model_name: `${path}-thinker`, reasoning: true, web_search_supported: true, task_post_supported: true },
  { model_name: `${path}-mute`, reasoning: false, web_search_supported: false, task_post_supported: true },
  { model_name: `${path}-search`, reasoning: false, web_search_supported: true, task_post_supported: true },
]

const live = (path: keyof typeof fields): Make =>
  checked(fields[path], (task, fake) => {
    const prompt = String(task['user_prompt'])
    if (!models(path).some(({ model_name: name }) => name === task['model_name']))
      return { code: 40501, message: "Invalid Field: 'model_name'." }
    const said = fake.script(prompt, names[path] ?? 'openai')
    const { parts }: Scripted = typeof said === 'string' ? { parts: [{ text: said }] } : said
    return {
      result: [
        {
          model_name: `${String(task['model_name'])}-2026-11-01`,
          input_tokens: 1000,
          output_tokens: 500,
          reasoning_tokens: 0,
          web_search: true,
          money_spent: 0.0014,
          datetime: '2026-11-21 12:00:00 +00:00',
          items: [
            { type: 'reasoning', sections: [{ type: 'summary_text', text: 'Thought.', annotations: null }] },
            {
              type: 'message',
              sections: parts.map(({ text, cites }, at) => ({
                type: 'text',
                text: at === 0 ? text : ` ${text}`,
                annotations:
                  cites?.map(({ url, title }) =>
                    path === 'gemini'
                      ? { title, url: 'https://vertexaisearch.cloud.google.com/x', direct_url: url, text }
                      : { title, url: `${url}?utm_source=openai` },
                  ) ?? null,
              })),
            },
          ],
          fan_out_queries: path === 'chat_gpt' ? [prompt] : null,
        },
      ],
    }
  })

/** By path below `/v3/`. */
export const answers: Record<string, Make> = Object.fromEntries(
  (['chat_gpt', 'claude', 'gemini', 'perplexity'] as const).map((path) => [
    `ai_optimization/${path}/llm_responses/live`,
    live(path),
  ]),
)
