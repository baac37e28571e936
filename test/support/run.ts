import { parseCLI, startVitest, type TestModule } from 'vitest/node'

/** `npm test`: the whole suite, or what the arguments name; the last line counts it. */
const { filter, options } = parseCLI(['vitest', ...process.argv.slice(2)])
const vitest = await startVitest(filter, { ...options, watch: false })
const modules = vitest.state.getTestModules()
const broken = vitest.state.getUnhandledErrors().length + modules.filter(isBroken).length
const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state))
await vitest.close()

const passed = states.filter((state) => state === 'passed').length
const skipped = states.filter((state) => state === 'skipped').length
const failed = states.length - passed - skipped + broken
const counts = [`${passed} passed`, `${failed} failed`, ...(skipped ? [`${skipped} skipped`] : [])]
process.stdout.write(`${counts.join(', ')}\n`)
process.exit(failed > 0 || passed === 0 ? 1 : Number(process.exitCode ?? 0))

/** A file that failed apart from its tests: it does not load, or a hook threw. */
function isBroken(module: TestModule): boolean {
  return module.state() === 'failed' && ![...module.children.allTests('failed')].length
}
