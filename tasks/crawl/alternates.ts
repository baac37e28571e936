import { isHreflang } from './checks/codes.ts'
import { urlKey } from './url.ts'

/** Language versions as they are stored; what can be no language is no version either. */
export const alternateKeys = (alternates: readonly { url: string | null; lang: string }[]) =>
  alternates.flatMap(({ url, lang }) =>
    url === null || !isHreflang(lang) ? [] : [{ key: urlKey(url), lang: lang.toLowerCase() }],
  )
