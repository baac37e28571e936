import { accessChecks } from './access.ts'
import type { GeoCheck } from './check.ts'
import { contentChecks } from './content.ts'
import { discoveryChecks } from './discovery.ts'
import { evidenceChecks } from './evidence.ts'
import { headingChecks } from './headings.ts'
import { identityChecks } from './identity.ts'
import { snippetChecks } from './snippets.ts'
import { textChecks } from './text.ts'

/** All checks of a page audit; their weights add up to 100. */
export const geoChecks: readonly GeoCheck[] = [
  ...accessChecks,
  ...snippetChecks,
  ...contentChecks,
  ...headingChecks,
  ...textChecks,
  ...evidenceChecks,
  ...identityChecks,
  ...discoveryChecks,
]
