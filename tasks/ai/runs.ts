import {
  competitorReports,
  engineTests,
  geoAudits,
  promptResearches,
  visibilityRuns,
} from '../../sql/ai-runs.ts'
import type { Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { compareBrands } from './competitor.ts'
import { testEngines } from './engine.ts'
import { auditGeo } from './geo.ts'
import { researchPrompts } from './prompts.ts'
import { record } from './record.ts'
import { measureVisibility } from './visibility.ts'

export const runGeo = (payload: Payload<'ai.geo'>, tools: Tools) =>
  record(geoAudits, payload, async () => {
    const audit = await auditGeo(payload, tools)
    return { ...audit, ai_crawlers: [...audit.ai_crawlers] }
  })

export const runVisibility = (payload: Payload<'ai.visibility'>, tools: Tools) =>
  record(visibilityRuns, payload, async () => ({
    brand: payload.brand,
    ...(await measureVisibility(payload, tools)),
  }))

export const runEngine = (payload: Payload<'ai.engine'>, tools: Tools) =>
  record(engineTests, payload, async () => ({
    keyword: payload.keyword,
    url: payload.url,
    ...(await testEngines(payload, tools)),
  }))

export const runCompetitor = (payload: Payload<'ai.competitor'>, tools: Tools) =>
  record(competitorReports, payload, async () => ({
    brand: payload.brand,
    competitors: payload.competitors,
    ...(await compareBrands(payload, tools)),
  }))

export const runPrompts = (payload: Payload<'ai.prompts'>, tools: Tools) =>
  record(promptResearches, payload, async () => ({
    prompt: payload.prompt,
    ...(await researchPrompts(payload, tools)),
  }))
