import { z } from 'zod'

import { config } from '../../config.ts'
import { clamped } from '../fields.ts'

const INT4 = 2 ** 31 - 1
const LANGUAGE_LENGTH = 8

/** Where a search is made. */
export const locationCode = clamped(1, INT4)

/** In which language: lower case, stripped to letters and dashes, cut; without letters it is the default. */
export const languageCode = z
  .string()
  .transform((given) => {
    const code = given
      .toLowerCase()
      .replaceAll(/[^a-z-]/g, '')
      .slice(0, LANGUAGE_LENGTH)
    return /[a-z]/.test(code) ? code : config.DEFAULT_LANGUAGE_CODE
  })
  .meta({ override: { type: 'string' }, example: 'it' })
