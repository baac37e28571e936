import type { Channel } from './channel.ts'
import { discord } from './discord.ts'
import { email } from './email.ts'
import { slack } from './slack.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

/** Every kind of channel there is. */
export const channels = { webhook, slack, discord, telegram, teams, email } as const satisfies Record<
  string,
  Channel
>

export type ChannelKind = keyof typeof channels
export const channelKinds = Object.keys(channels) as [ChannelKind, ...ChannelKind[]]
export const channelOf = (kind: string): Channel => channels[kind as ChannelKind]

/** A channel as it is stored, a webhook with a secret in any case; or the name of what was no good. */
export function acceptChannel(
  kind: ChannelKind,
  given: { target: string; secret?: string | null | undefined },
): { kind: ChannelKind; target: string; secret: string | null } | 'target' | 'secret' {
  const channel = channelOf(kind)
  const target = channel.accept(given.target.trim())
  if (target === null) return 'target'
  if (!channel.secret) return { kind, target, secret: null }
  const secret = given.secret ? channel.secret.accept(given.secret) : channel.secret.make()
  return secret === null ? 'secret' : { kind, target, secret }
}

/** The target as it may be seen again. */
export function shownTarget({ kind, target }: { kind: string; target: string }): string {
  return channelOf(kind).mask?.(target) ?? target
}
