import { afterAll, beforeAll, beforeEach } from 'vitest'

import { config } from '../../config.ts'
import { scopes } from '../../sql/external-accounts.ts'
import { db } from '../../sql/pool.ts'
import { keepConnection } from '../../tasks/external/keep.ts'
import { type FakeAnalytics, startAnalytics } from '../fakes/google/analytics.ts'
import { type GoogleOauth, startGoogleOauth } from '../fakes/google/oauth.ts'
import { type FakeSearchConsole, startSearchConsole } from '../fakes/google/search-console.ts'
import type { Person } from './database.ts'

type Account = {
  sites?: Record<string, string> | string[]
  accounts?: ReturnType<FakeAnalytics['accountsOf']>
  properties?: number[]
}

export type Google = {
  oauth: GoogleOauth
  console: FakeSearchConsole
  analytics: FakeAnalytics
  /** What the owner of an address sees; sites are named with their levels, or owned. */
  accounts: Map<string, Account>
  /** Connects a Google account; only what is consented to is granted. */
  connect: (person: Person, email: string, features?: (keyof typeof scopes)[]) => Promise<void>
}

/** Called at the top of a test file: a Google that this process is configured for. Before each test it is well, and forgets its calls. */
export function useGoogle(): Google {
  const google = { accounts: new Map<string, Account>() } as Google
  const accountOf = (token: string) => google.accounts.get(google.oauth.holderOf(token)?.email ?? '') ?? {}

  google.connect = async (person, email, features = ['search-console', 'analytics']) => {
    const granted = features.map((feature) => scopes[feature])
    const refreshToken = google.oauth.consent(email, granted)
    await db().transaction((on) => keepConnection(person.id, { refreshToken, email, scopes: granted }, on))
  }
  beforeAll(async () => {
    google.oauth = await startGoogleOauth()
    google.console = await startSearchConsole()
    google.analytics = await startAnalytics()
    for (const api of [google.console, google.analytics])
      api.scopesOf = (token) => google.oauth.holderOf(token)?.scopes ?? null
    google.console.sitesOf = (token) => {
      const { sites = {} } = accountOf(token)
      const levels = Array.isArray(sites) ? sites.map((site) => [site, 'siteOwner']) : Object.entries(sites)
      return levels.map(([siteUrl = '', permissionLevel = '']) => ({ siteUrl, permissionLevel }))
    }
    google.analytics.accountsOf = (token) => {
      const { accounts, properties = [] } = accountOf(token)
      const described = properties.map((id) => ({
        property: `properties/${id}`,
        displayName: `Web ${id}`,
        propertyType: 'PROPERTY_TYPE_ORDINARY',
        parent: 'accounts/100',
      }))
      return accounts ?? [{ account: 'accounts/100', displayName: 'Acme', propertySummaries: described }]
    }
    Object.assign(config, google.oauth.environment, {
      GOOGLE_SEARCHCONSOLE_URL: google.console.url,
      GOOGLE_ANALYTICSDATA_URL: `${google.analytics.url}/`,
      GOOGLE_ANALYTICSADMIN_URL: google.analytics.url,
    })
  })
  beforeEach(() => {
    for (const api of [google.oauth, google.console, google.analytics]) {
      api.calls.length = 0
      api.fault = () => undefined
      api.latency = 0
    }
  })
  afterAll(async () => {
    for (const api of [google.oauth, google.console, google.analytics]) await api?.close()
  })
  return google
}
