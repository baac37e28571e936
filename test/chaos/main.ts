import { randomInt } from 'node:crypto'

import { log } from '../../telemetry.ts'
import { numbersOf } from '../bench/options.ts'
import { table } from '../bench/table.ts'
import { runChaos } from './run.ts'

/** `npm run chaos -- [--seconds 120] [--seed N] [--workers 3]`: the same seed breaks the same things in the same order. */
const { seconds, seed, workers } = numbersOf(process.argv.slice(2), {
  seconds: 120,
  seed: randomInt(2 ** 31),
  workers: 3,
})
log.level = 'silent'
process.stdout.write(`seed ${seed}\n`)
const { checks, faults, acts, quitters, restSeconds } = await runChaos({ seconds, seed, workers })
const counts = (of: Record<string, number>) =>
  Object.entries(of).map(([name, count]) => [name, String(count)])
process.stdout.write(
  [
    '',
    table(['what was done', ''], counts(acts)),
    '',
    table(
      ['what was broken', ''],
      [...counts(faults), ['processes that left by themselves', String(quitters)]],
    ),
    '',
    table(
      ['what came of it', 'seen', 'wrong'],
      checks.map(({ name, seen, wrong }) => [name, String(seen), String(wrong.length)]),
    ),
    '',
    `at rest after ${restSeconds.toFixed(0)} s`,
    ...checks.flatMap(({ name, wrong }) => wrong.slice(0, 10).map((what) => `WRONG  ${name}: ${what}`)),
    '',
  ].join('\n'),
)
if (checks.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1
