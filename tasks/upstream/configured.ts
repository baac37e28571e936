import { config } from '../../config.ts'
import { type EngineName, engineNames } from './answer-engine.ts'

/** What the configured source of keyword data can do; the API asks this, and never loads the source. */
export type Ability = 'rank' | 'volumes' | 'ideas' | 'locations' | 'languages' | 'queue'

const abilities = {
  dataforseo: ['rank', 'volumes', 'ideas', 'locations', 'languages', 'queue'],
  searxng: ['rank'],
} as const satisfies Record<string, readonly Ability[]>

/** DataForSEO goes before SearXNG; null when neither is configured. */
export function configuredSource(): keyof typeof abilities | null {
  if (config.DATAFORSEO_LOGIN && config.DATAFORSEO_PASSWORD) return 'dataforseo'
  return config.SEARXNG_URL ? 'searxng' : null
}

/** Whether accounts of Google can be connected. */
export const isGoogleConfigured = () => Boolean(config.GOOGLE_CLIENT_ID && config.GOOGLE_CLIENT_SECRET)

export function canSource(ability: Ability): boolean {
  const source = configuredSource()
  return source !== null && (abilities[source] as readonly Ability[]).includes(ability)
}

/** Whether no answer engine has a key of its own, and DataForSEO asks them for us. */
export const isBrokered = (): boolean =>
  engineNames.every((name) => !hasKey(name)) && configuredSource() === 'dataforseo'

/** The answer engines that can be asked; none: the AI modules that need one cannot work. */
export function configuredEngines(): EngineName[] {
  return isBrokered() ? [...engineNames] : engineNames.filter(hasKey)
}

const hasKey = (name: EngineName) => engineSettings(name).apiKey !== undefined

/** Key, base address without a trailing slash, and model of an engine. */
export function engineSettings(name: EngineName) {
  const prefix = name.toUpperCase() as Uppercase<EngineName>
  return {
    apiKey: config[`${prefix}_API_KEY`],
    baseUrl: config[`${prefix}_BASE_URL`].replace(/\/+$/, ''),
    model: config[`${prefix}_MODEL`],
  }
}
