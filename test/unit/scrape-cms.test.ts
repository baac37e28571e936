import { describe, expect, test } from 'vitest'

import { detectCms, systems } from '../../tasks/scrape/cms/index.ts'
import type { Example } from '../../tasks/scrape/cms/system.ts'

function detected(example: Example) {
  const { url = 'https://example.test/', ...given } =
    typeof example === 'string' ? { html: example } : example
  return detectCms({ headers: {}, setCookies: [], html: '', ...given, url: new URL(url) })
}

describe.each(systems)('$name', ({ name, examples }) => {
  // By its name, so no other system lays claim to it.
  test.each(examples.good)('is told by %j', (example) => expect(detected(example)).toBe(name))
  test.each(examples.bad)('is not told by %j', (example) => expect(detected(example)).toBeNull())
})

test('there are 40 to 60 systems, each once, each with good and bad examples', () => {
  expect(new Set(systems.map(({ name }) => name)).size).toBe(systems.length)
  expect(systems.length).toBeGreaterThanOrEqual(40)
  expect(systems.length).toBeLessThanOrEqual(60)
  for (const { name, examples } of systems)
    expect([name, examples.good.length > 0, examples.bad.length > 0]).toEqual([name, true, true])
})

test('what a system says of itself outdoes what another left behind', () => {
  const html = `<meta name="generator" content="Hugo 0.148.1"><script src="/wp-content/themes/old/a.js"></script>`
  expect(detected(html)).toBe('Hugo')
})

test('text, code samples, structured data and unfinished markup tell nothing', () => {
  const mentions = [
    '<pre>&lt;meta name="generator" content="WordPress 6.8"&gt;</pre>',
    '<textarea><meta name="generator" content="WordPress 6.8"></textarea>',
    '<title><!-- This is Squarespace. --></title>',
    '<script type="application/ld+json">{"articleBody": "Static.SQUARESPACE_CONTEXT = {}"}</script>',
    '<template><p>Joomla!</template><noscript>Drupal</noscript>',
    '<script src="/a.js"></script>Static.SQUARESPACE_CONTEXT = {}<script src="/b.js"></script>',
    '<meta name="generator">',
    '<meta name="generator" content="My own tool, inspired by WordPress">',
    '<meta name="gener',
  ]
  expect(mentions.map(detected)).toEqual(mentions.map(() => null))
})

test('a page of any size is read fast, and only its beginning', () => {
  const filler = '<p class="a">Lorem ipsum</p><script>var a = 1</script><!-- note -->'.repeat(100_000)
  const started = performance.now()
  expect(detected(`<meta name="generator" content="Ghost 5.82">${filler}`)).toBe('Ghost')
  expect(detected(`${filler}<meta name="generator" content="Ghost 5.82">`)).toBeNull()
  expect(performance.now() - started).toBeLessThan(1500)
})
