import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { AiOptimizationApi } from 'dataforseo-client/api'
import { AiOptimizationChatGptLlmResponsesLiveRequestInfo as Prompt } from 'dataforseo-client/models'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type FakeAnswerEngines, keyOf, startAnswerEngines } from '../fakes/answer-engines.ts'
import { type FakeDataForSeo, startDataForSeo } from '../fakes/dataforseo.ts'

/** The vendors' own clients against the stand-ins that the other tests use: they are not only our opinion. */
let fake: FakeAnswerEngines
let seo: FakeDataForSeo

const page = { url: 'https://www.acme.test/crm', title: 'Acme CRM' }

beforeAll(async () => {
  ;[fake, seo] = await Promise.all([startAnswerEngines(), startDataForSeo()])
  fake.script = (prompt) => ({
    parts: [{ text: `Acme answers ${prompt}.`, cites: [page] }],
    queries: ['crm'],
  })
  seo.script = fake.script
})
afterAll(() => Promise.all([fake.close(), seo.close()]))

test('openai', async () => {
  const client = new OpenAI({
    apiKey: keyOf('openai'),
    baseURL: fake.environment.OPENAI_BASE_URL,
    maxRetries: 0,
  })
  const order = { model: 'gpt-6.1-terra', tools: [{ type: 'web_search' as const }] }
  const answer = await client.responses.create({ ...order, input: 'best crm' })
  expect(answer.output_text).toMatch(/^Acme answers best crm\. \(\[acme\.test\]\(https:/)
  const message = answer.output.find((item) => item.type === 'message')
  expect(message?.content[0]).toMatchObject({
    annotations: [{ type: 'url_citation', url: `${page.url}?utm_source=chatgpt.com`, title: page.title }],
  })
  fake.fault = () => 'no money'
  await expect(client.responses.create({ ...order, input: 'x' })).rejects.toMatchObject({
    status: 429,
    code: 'insufficient_quota',
  })
  fake.fault = () => undefined
  await expect(client.responses.create({ ...order, input: 'x', top_k: 1 } as never)).rejects.toMatchObject({
    status: 400,
  })
})

test('anthropic', async () => {
  const client = new Anthropic({
    apiKey: keyOf('anthropic'),
    baseURL: fake.environment.ANTHROPIC_BASE_URL.replace(/\/v1$/, ''),
    maxRetries: 0,
  })
  const answer = await client.messages.create({
    model: 'claude-sonnet-5-5',
    max_tokens: 1000,
    messages: [{ role: 'user', content: 'best crm' }],
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }],
  })
  expect(answer.content.map(({ type }) => type)).toEqual([
    'server_tool_use',
    'web_search_tool_result',
    'text',
  ])
  expect(answer.content.at(-1)).toMatchObject({ citations: [{ url: page.url }] })
  expect(answer.usage.server_tool_use?.web_search_requests).toBe(1)
  fake.fault = () => 'overloaded'
  const refused = client.messages.create({
    model: 'x',
    max_tokens: 1,
    messages: [{ role: 'user', content: 'x' }],
  })
  await expect(refused).rejects.toMatchObject({ status: 529 })
  fake.fault = () => undefined
})

test('gemini', async () => {
  const client = new GoogleGenAI({
    apiKey: keyOf('gemini'),
    httpOptions: { baseUrl: fake.environment.GEMINI_BASE_URL.replace(/\/v1beta$/, ''), apiVersion: 'v1beta' },
  })
  const answer = await client.models.generateContent({
    model: 'gemini-3.8-flash',
    contents: 'best crm',
    config: { tools: [{ googleSearch: {} }] },
  })
  expect(answer.text).toBe('Acme answers best crm.')
  expect(answer.modelVersion).toBe('gemini-3.8-flash-2026-11-01')
  const grounding = answer.candidates?.[0]?.groundingMetadata
  expect(grounding?.groundingChunks?.[0]?.web).toMatchObject({ title: 'acme.test' })
  expect(grounding?.groundingSupports?.[0]).toMatchObject({
    segment: { endIndex: 22 },
    groundingChunkIndices: [0],
  })
})

test('perplexity, by the client that its documents name', async () => {
  const client = new OpenAI({
    apiKey: keyOf('perplexity'),
    baseURL: fake.environment.PERPLEXITY_BASE_URL,
    maxRetries: 0,
  })
  const answer = await client.responses.create({
    model: 'perplexity/sonar',
    input: 'best crm',
    tools: [{ type: 'web_search' }],
  })
  expect(answer.output_text).toBe('Acme answers best crm.[1]')
})

test('dataforseo', async () => {
  const login = Buffer.from(`${seo.login}:${seo.password}`).toString('base64')
  const api = new AiOptimizationApi(seo.url.replace(/\/v3$/, ''), {
    fetch: (url: string | URL | Request, init?: RequestInit) =>
      fetch(url, { ...init, headers: { ...(init?.headers as object), authorization: `Basic ${login}` } }),
  })
  const models = await api.chatGptLlmResponsesModels()
  expect(models?.tasks?.[0]?.result?.[2]).toMatchObject({ model_name: 'chat_gpt-search' })
  const ask = async (prompt: string) => {
    const task = new Prompt({ user_prompt: prompt, model_name: 'chat_gpt-search', web_search: true })
    return (await api.chatGptLlmResponsesLive([task]))?.tasks?.[0]
  }
  expect((await ask('best crm'))?.result?.[0]).toMatchObject({
    output_tokens: 500,
    fan_out_queries: ['best crm'],
  })
  expect((await ask('x'.repeat(501)))?.status_code).toBe(40501)
})

test.each(['openai', 'anthropic', 'gemini', 'perplexity'] as const)('%s wants its key', async (engine) => {
  const path = {
    openai: 'responses',
    anthropic: 'messages',
    gemini: 'models/gemini-3.8-flash:generateContent',
    perplexity: 'agent',
  }[engine]
  const base = fake.environment[`${engine.toUpperCase() as Uppercase<typeof engine>}_BASE_URL`]
  const answer = await fetch(`${base}/${path}?key=${keyOf(engine)}`, { method: 'POST', body: '{}' })
  expect([400, 401, 404]).toContain(answer.status)
  expect(await answer.json()).toHaveProperty('error.message')
})
