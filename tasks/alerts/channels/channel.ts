/** What is told: one alert, or a digest of several. */
export type Notice = {
  /** The same on every attempt. */
  id: string
  type: `alert.${string}`
  /** When it came about, ISO 8601. */
  timestamp: string
  /** For programs. */
  data: Record<string, unknown>
  /** Over a digest; null over a single alert. */
  heading: string | null
  /** For people: a line for each alert. */
  lines: readonly string[]
  /** How it ends when so many alerts are left out of the text. */
  rest: (alerts: number) => string
  /** Alerts that have no line. */
  untold: number
  /** What a link that ends such messages is called. */
  unsubscribe: string
}

export type Destination = {
  /** Of the channel. */
  id: number
  target: string
  /** The newest first. */
  secrets: readonly string[]
}

/** Sends JSON through the guarded door; throws `Undelivered` unless the answer is 2xx. */
export type Post = (url: string, body: string, headers?: Record<string, string>) => Promise<void>

export type Channel = {
  kind: string
  /** The target as it is kept; null when it is none of this kind. */
  accept(given: string): string | null
  /** The target as it may be seen again; it is no secret unless this says otherwise. */
  mask?(target: string): string
  /** It signs what it sends: makes a secret, or takes one that was given; null when that is none. */
  secret?: { make(): string; accept(given: string): string | null }
  /** Whether what is refused (3xx, 4xx) is tried again all the same: the receiver may mend that. */
  insists?: true
  send(notice: Notice, to: Destination, post: Post): Promise<void>
}

/**
 * Why a notice did not arrive: the receiver may never be asked (forbidden), did not answer (unreachable), cannot now
 * (busy), will not (refused), or never again (gone).
 */
export type UndeliveredKind = 'forbidden' | 'unreachable' | 'busy' | 'refused' | 'gone'

export class Undelivered extends Error {
  override readonly name = 'Undelivered'
  readonly kind: UndeliveredKind
  /** How long the receiver asked to be left alone. */
  readonly pauseSeconds: number | null

  constructor(
    kind: UndeliveredKind,
    message: string,
    { pauseSeconds = null, ...options }: ErrorOptions & { pauseSeconds?: number | null } = {},
  ) {
    super(message, options)
    this.kind = kind
    this.pauseSeconds = pauseSeconds
  }
}

/** A notice as text: as many lines as fit into `most` characters, and how many alerts are left out. */
export function textOf(
  { heading, lines, rest, untold }: Notice,
  most: number,
  escape = (text: string) => text,
): string {
  const pieces = heading === null ? [] : [escape(heading)]
  let length = (pieces[0]?.length ?? 0) + escape(rest(untold + lines.length)).length + 2
  let told = 0
  for (const line of lines.map(escape)) {
    length += line.length + 1
    if (length > most && told > 0) break
    pieces.push(line)
    told++
  }
  const left = untold + lines.length - told
  if (left > 0) pieces.push(escape(rest(left)))
  return pieces.join('\n')
}

/** An https address of certain hosts and paths, as it was given. */
export function httpsAddress(given: string, hosts: RegExp, paths: RegExp): string | null {
  const url = URL.parse(given)
  const fits = url?.protocol === 'https:' && hosts.test(url.hostname) && paths.test(url.pathname)
  return fits && !url.username && !url.password && given.length <= ADDRESS_LENGTH ? given : null
}

export const ADDRESS_LENGTH = 2048
