import { address, deactivate } from './alert-channels.ts'
import { isSigned, sign } from './secrets.ts'

/** What a mail carries so that its reader can end it: good for this channel as long as it goes to this address. */
export function unsubscribeToken({ id, target }: { id: number; target: string }): string {
  return `${id}.${sign(textOf({ id, target }))}`
}

/** The id of the channel whose mail carried this; null when no mail did. */
export async function readToken(token: string): Promise<number | null> {
  const [, id, word = ''] = /^([1-9]\d{0,14})\.([\w-]{43})$/.exec(token) ?? []
  const channel = id === undefined ? null : await address(Number(id))
  return channel && isSigned(textOf(channel), word) ? channel.id : null
}

/** Ends the mails of a channel; false when no mail carried this token. */
export async function unsubscribe(token: string): Promise<boolean> {
  const id = await readToken(token)
  if (id === null) return false
  await deactivate(id)
  return true
}

const textOf = ({ id, target }: { id: number; target: string }) => `unsubscribe:${id}:${target}`
