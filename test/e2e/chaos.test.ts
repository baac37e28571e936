import { expect, test } from 'vitest'

import { runChaos } from '../chaos/run.ts'

test(
  'whatever breaks, all work ends as it should and nothing is done twice',
  { timeout: 240_000 },
  async () => {
    const { checks, faults, acts } = await runChaos({
      seconds: 10,
      seed: 20_261_121,
      workers: 2,
      impatient: true,
    })
    expect(checks.filter(({ wrong }) => wrong.length > 0)).toEqual([])
    expect(Object.keys(faults)).toHaveLength(9)
    expect(Object.keys(acts)).toHaveLength(6)
    expect(checks.find(({ name }) => name === 'page sets exact')!.seen).toBeGreaterThan(100)
  },
)
