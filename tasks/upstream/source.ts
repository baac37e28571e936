import { Problem } from '../../problem.ts'
import { type Ability, configuredSource } from './configured.ts'
import { dataForSeo } from './dataforseo.ts'
import { UpstreamFault } from './fault.ts'
import type { KeywordData } from './keyword-data.ts'
import { searXng } from './searxng.ts'

/** One ability of the configured source; a Problem when there is none that has it. */
export function source<A extends Ability>(ability: A): NonNullable<KeywordData[A]> {
  const name = configuredSource()
  const found = name && { dataforseo: dataForSeo, searxng: searXng }[name][ability]
  if (!found) throw new Problem('no_datasource')
  return found
}

/** A fault of the source as the caller is told it. */
export async function orProblem<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error
    throw new Problem('upstream_failed', { reason: error.message }, { cause: error })
  }
}
