import { config } from '../config.ts'
import type { Executor } from '../sql/pool.ts'
import { canSource, enqueue } from '../tasks/jobs.ts'

export type Entry = {
  name: string
  /** In UTC. */
  cron: string
  /** From one slot to the next; a slot older than this is not made up for. */
  periodSeconds: number
  /** Queues what is to be done, in the transaction that claims the slot. */
  fire(on: Executor): Promise<void>
}

const retention: Entry = {
  name: 'scrape.sweep',
  cron: '47 * * * *',
  periodSeconds: 3600,
  fire: (on) => enqueue('scrape.sweep', {}, { on, key: 'scrape.sweep' }),
}

/** All that happens by the clock. */
export const schedule: readonly Entry[] = [
  {
    name: 'rankings.schedule',
    cron: '*/10 * * * *',
    periodSeconds: 600,
    fire: (on) => enqueue('rankings.schedule', {}, { on, key: 'rankings.schedule' }),
  },
  {
    name: 'rankings.collect',
    cron: '* * * * *',
    periodSeconds: 60,
    fire: (on) => enqueue('rankings.collect', {}, { on, key: 'rankings.collect' }),
  },
  {
    name: 'alerts.watch',
    cron: '5-59/10 * * * *',
    periodSeconds: 600,
    fire: (on) => enqueue('alerts.watch', {}, { on, key: 'alerts.watch' }),
  },
  {
    name: 'catalogue.load',
    cron: '41 4 * * *',
    periodSeconds: 86_400,
    async fire(on) {
      for (const name of ['locations', 'languages'] as const)
        if (canSource(name)) await enqueue('catalogue.load', { name }, { on, key: `catalogue.load:${name}` })
    },
  },
  {
    name: 'maintenance.sweep',
    cron: '17 3 * * *',
    periodSeconds: 86_400,
    fire: (on) => enqueue('maintenance.sweep', {}, { on, key: 'maintenance.sweep' }),
  },
  ...(config.SCRAPE_RETENTION_DAYS ? [retention] : []),
]
