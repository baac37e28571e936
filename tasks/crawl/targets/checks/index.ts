import { assetChecks } from './assets.ts'
import type { TargetCheck } from './check.ts'
import { imageTargetChecks } from './images.ts'
import { linkTargetChecks } from './links.ts'

export const targetChecks: readonly TargetCheck[] = [
  ...linkTargetChecks,
  ...imageTargetChecks,
  ...assetChecks,
]
