import { Problem } from '../../problem.ts'
import * as channels from '../../sql/alert-channels.ts'
import * as deliveries from '../../sql/deliveries.ts'
import { db, type Executor } from '../../sql/pool.ts'
import type { Payload } from '../jobs.ts'
import { Later, type Tools } from '../outcome.ts'
import { type Channel, Undelivered } from './channels/channel.ts'
import { channelOf } from './channels/index.ts'
import { attemptsMade, deliveryAge } from './metrics.ts'
import { noticeOf, trialNotice } from './notice.ts'
import { poster } from './post.ts'

/** From each attempt that failed to the next. */
const LADDER_SECONDS = [5, 60, 300, 1800, 7200, 18_000, 36_000]
const JITTER = 0.2
const OLDEST_SECONDS = 86_400
/** Messages to one channel; more alerts than are left of these go into one, a digest. */
const MESSAGES_A_MINUTE = 5
/** After a rest one message is tried; the others wait for its end. */
const TRIAL_SECONDS = 20

/** Sends one delivery, or the digest that it leads; those that ride on another's message have nothing to do. */
export async function sendAlert(
  { delivery: id }: Payload<'alerts.send'>,
  { log, signal }: Tools,
  post = poster({ signal }),
): Promise<void> {
  const begun = await db().transaction((tx) => begin(id, tx))
  if (!begun) return
  const [to, [first, ...others]] = await Promise.all([
    channels.address(begun.channelId),
    deliveries.contents(id),
  ])
  if (!to || !first) return
  const channel = channelOf(to.kind)
  try {
    await channel.send(noticeOf(id, [first, ...others], to.locale), to, post)
  } catch (error) {
    if (!(error instanceof Undelivered)) throw error
    const again = await failed(id, { channel, channelId: to.id, attempts: begun.attempts, error })
    attemptsMade.inc({ kind: to.kind, outcome: again === null ? 'failed' : 'retried' })
    log.warn({ channel: to.id, kind: to.kind, again, err: error }, 'an alert was not delivered')
    if (again !== null) throw new Later(again)
    return
  }
  for (const { age } of await deliveries.end(id, { state: 'delivered', error: null }))
    deliveryAge.observe({ kind: to.kind }, age)
  await channels.noteSuccess(to.id)
  attemptsMade.inc({ kind: to.kind, outcome: 'delivered' })
}

/** Sends a message that only says that the channel works; what stands against that is `upstream_failed`. */
export async function testChannel(
  { channel: id }: Payload<'alerts.test'>,
  { signal }: Tools,
  post = poster({ signal }),
) {
  const to = await channels.address(id)
  if (!to) throw new Problem('not_found')
  try {
    await channelOf(to.kind).send(trialNotice(crypto.randomUUID(), to.locale), to, post)
  } catch (error) {
    if (!(error instanceof Undelivered)) throw error
    if (error.kind === 'gone') await channels.deactivate(id)
    throw new Problem('upstream_failed', { reason: error.message }, { cause: error })
  }
  await channels.noteSuccess(id)
  return {}
}

/** Decides whether and with what a delivery is sent now; those of one channel decide one after the other. */
async function begin(id: string, tx: Executor): Promise<{ channelId: number; attempts: number } | null> {
  const channelId = await deliveries.lockChannel(id, tx)
  if (channelId === null) return null
  const found = await deliveries.look(id, MESSAGES_A_MINUTE + 1, tx)
  const { state, message_id: message, attempts, age, active, rests, unbegun, begun, oldest } = found
  if (state !== 'waiting' || (message !== null && message !== id)) return null
  if (!active || age > OLDEST_SECONDS) {
    const error = active ? 'could not be sent for a day' : 'the channel is not active'
    await deliveries.end(id, { state: 'failed', error }, tx)
    return null
  }
  // The first attempt after a failure is soon, come what may.
  if (rests !== null && rests > 0 && attempts !== 1) throw new Later(rests + Math.random() * 2)
  if (message === null) {
    const left = MESSAGES_A_MINUTE - begun
    if (left <= 0) throw new Later(Math.max(1, deliveries.WINDOW_SECONDS - (oldest ?? 0)) + Math.random())
    await deliveries.begin(id, { digest: unbegun > left }, tx)
  }
  if (rests !== null && rests <= 0) await deliveries.holdOthers(channelId, TRIAL_SECONDS, tx)
  return { channelId, attempts }
}

/** Writes a failure down; the seconds to the next attempt, null when there is none. */
async function failed(
  id: string,
  {
    channel,
    channelId,
    attempts,
    error,
  }: { channel: Channel; channelId: number; attempts: number; error: Undelivered },
): Promise<number | null> {
  const { kind, message, pauseSeconds } = error
  await channels.noteFailure(channelId, pauseSeconds)
  if (kind === 'gone') await channels.deactivate(channelId)
  const hopeful = kind === 'unreachable' || kind === 'busy' || (kind === 'refused' && channel.insists)
  const step = LADDER_SECONDS[attempts]
  if (!hopeful || step === undefined) {
    await deliveries.end(id, { state: 'failed', error: message })
    return null
  }
  await deliveries.noteAttempt(id, message)
  return pauseSeconds ?? step * (1 + JITTER * (2 * Math.random() - 1))
}
