/** Lines that RFC 9309 or a search engine knows; anything else is a slip. */
const known = new Set([
  'user-agent',
  'allow',
  'disallow',
  'sitemap',
  'crawl-delay',
  'request-rate',
  'visit-time',
  'clean-param',
  'host',
  'noindex',
  'content-signal',
  'content-usage',
  'license',
  'schemamap',
])

/** What is wrong with a robots.txt, one text for each line at fault. */
export function robotsFaults(text: string): string[] {
  let inGroup = false
  const faultOf = (line: string): string | null => {
    const colon = line.indexOf(':')
    if (colon < 0) return 'is no rule'
    const key = line.slice(0, colon).trim().toLowerCase()
    const value = line.slice(colon + 1).trim()
    if (!known.has(key)) return `has the unknown name ${key.slice(0, 50)}`
    if (key === 'user-agent') {
      inGroup = true
      return value === '' ? 'names no user agent' : null
    }
    if (key === 'sitemap') return URL.canParse(value) ? null : 'names a sitemap without its whole address'
    if (key !== 'allow' && key !== 'disallow') return null
    if (!inGroup) return 'stands before any user agent'
    if (value !== '' && !/^[/*]/.test(value)) return 'has a path that does not begin with / or *'
    return /\$./.test(value) ? 'has a $ that is not at the end' : null
  }
  return text.split(/\r\n|[\r\n]/).flatMap((written, index) => {
    const line = written.replace(/#.*/, '').trim()
    const fault = line === '' ? null : faultOf(line)
    return fault === null ? [] : [`line ${index + 1} ${fault}`]
  })
}
