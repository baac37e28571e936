import { type Answer, CookieJar, fetchOnce, type FetchOptions, isRedirect, redirectTarget } from '../http.ts'

/** Where an address led. */
export type Followed = {
  /** The last answer; a redirect itself when there were too many, or when it led where nobody was to go. */
  answer: Answer
  /** Statuses of the redirects, in order; of the last answer's too, if it is one. */
  redirects: number[]
  /** Where that last redirect leads; null when the answer is none. */
  next: URL | null
}

/** Follows at most so many redirects with cookies of its own, and none for which `goesOn` is false. */
export async function follow(
  url: URL,
  { most, goesOn, ...options }: FetchOptions & { most: number; goesOn?: (next: URL) => boolean },
): Promise<Followed> {
  const cookies = new CookieJar()
  const redirects: number[] = []
  for (let here = url; ;) {
    const wants: FetchOptions['wants'] = (head) => !isRedirect(head) && (options.wants?.(head) ?? true)
    const answer = await fetchOnce(here, { ...options, cookies, wants })
    const next = isRedirect(answer) ? redirectTarget(answer) : null
    if (next) redirects.push(answer.status)
    if (!next || redirects.length > most || goesOn?.(next) === false) return { answer, redirects, next }
    here = next
  }
}
