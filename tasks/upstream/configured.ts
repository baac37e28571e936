import { config } from '../../config.ts'

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
