/** What a user is asked to consent to, by what needs it. */
export const scopes = {
  'search-console': 'https://www.googleapis.com/auth/webmasters.readonly',
  analytics: 'https://www.googleapis.com/auth/analytics.readonly',
} as const
export type Feature = keyof typeof scopes

/** Whether a grant is good for it: one that lets in to more than reading is, too. */
export function allows(granted: readonly string[], feature: Feature): boolean {
  const enough = [scopes[feature], scopes[feature].replace('.readonly', '')]
  return granted.some((scope) => enough.includes(scope))
}

/** Whether a grant is good for anything. */
export function allowsAnything(granted: readonly string[]): boolean {
  return (Object.keys(scopes) as Feature[]).some((feature) => allows(granted, feature))
}
