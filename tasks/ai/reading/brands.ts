import { domainToASCII, domainToUnicode } from 'node:url'

import { getPublicSuffix } from 'tough-cookie'

import { fold, PART } from './fold.ts'

/** What companies have after their names, and nobody says. */
const LEGAL_FORM =
  /[\s,]+(s\.?r\.?l\.?s?|s\.?p\.?a\.?|s\.?n\.?c\.?|s\.?a\.?s\.?|inc\.?|ltd\.?|llc\.?|gmbh|ag|plc|corp\.?|b\.?v\.?|s\.?a\.?)$/
const HOST =
  /^(?:[a-z][a-z\d+.-]*:\/\/)?(?:[^\s/@]*@)?([^\s/:?#@]+\.[^\s/:?#@\d.]{2,})\.?(?::\d+)?(?:[/?#]\S*)?$/i

/** Somebody to look for in an answer. */
export type Brand = {
  /** As it was given. */
  name: string
  /** Its domains, ASCII, without `www.`; what lies below them is the brand's too. Empty: unknown. */
  hosts: readonly string[]
  /** What tells it from other brands. */
  key: string
  /** Finds its name in a folded text; global. */
  pattern: RegExp
}

/** A brand by its name or its host; `acme.it` is also called `acme`. */
export function brandOf(name: string, domain: string | null = null): Brand {
  const given = hostOf(name)
  const own = domain === null ? null : (hostOf(domain) ?? domain.toLowerCase())
  const hosts = [...new Set([own, given])].filter((host) => host !== null)
  const label = given === null ? fold(name).trim() : labelOf(given)
  const bare = label.replace(LEGAL_FORM, '')
  const labels = [...new Set([label, bare])].filter(Boolean)
  return { name, hosts, key: wordsOf(bare).join(' ').replaceAll("'", ''), pattern: patternOf(labels) }
}

/** The host that a host or an address names, without `www.`; null when it names none. */
export function hostOf(given: string): string | null {
  const [, written = ''] = HOST.exec(given.trim()) ?? []
  const host = domainToASCII(written.toLowerCase()).replace(/^www\.(?=.*\.)/, '')
  return host.includes('.') ? host : null
}

export const liesOn = (host: string, hosts: readonly string[]): boolean =>
  hosts.some((own) => host === own || host.endsWith(`.${own}`))

/** Whether a host in a text is the brand's; one of unknown domain owns what bears its name. */
export function owns({ hosts, key }: Brand, host: string): boolean {
  return hosts.length > 0 ? liesOn(host, hosts) : wordsOf(labelOf(host)).join('') === key.replaceAll(' ', '')
}

/** What a domain is called: the part that was chosen, without what registries add. */
function labelOf(host: string): string {
  const domain = getPublicSuffix(host, { allowSpecialUseDomain: true, ignoreError: true }) ?? host
  return fold(domainToUnicode(domain).split('.')[0] ?? host)
}

/** Hyphens and spaces stand for each other, apostrophes may be left out, `&` may be said. */
function patternOf(labels: readonly string[]): RegExp {
  const patterns = labels
    .toSorted((a, b) => b.length - a.length)
    .map((label) => {
      const written = wordsOf(label).map((word) =>
        word === '&'
          ? '(?:&|and|e|und|et|y)'
          : word.replace(SIGN, (sign) => (sign === "'" ? "'?" : coded(sign))),
      )
      return edge('<!', label.at(0)) + written.join('[\\s\\-_]+') + edge('!', label.at(-1))
    })
  return new RegExp(patterns.length > 0 ? patterns.join('|') : '(?!)', 'gv')
}

const SIGN = /[^\p{L}\p{N}\p{M}]/gu
const coded = (sign: string) => `\\u{${sign.codePointAt(0)?.toString(16)}}`
const wordsOf = (label: string) => label.split(/[\s\-_]+/).filter(Boolean)

const isPart = new RegExp(PART, 'v')
/** A name in a script without spaces begins and ends anywhere. */
const edge = (look: '!' | '<!', sign = '') => (isPart.test(sign) ? `(?${look}${PART})` : '')
