import { describe, expect, test } from 'vitest'

import { parse } from '../../tasks/crawl/parse.ts'
import { addsSubstantially, needsBrowser } from '../../tasks/crawl/render.ts'

const url = new URL('https://site.test/')
const facts = (body: string, head = '') =>
  parse(`<!doctype html><html lang="en"><head><title>T</title>${head}</head><body>${body}</body></html>`, url)
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ')
const links = (count: number) =>
  Array.from({ length: count }, (_, index) => `<a href="/page/${index}">Page ${index}</a> `).join('')
const app = '<script src="/app.js"></script>'

describe('a page needs the browser', () => {
  test.each([
    ['an empty mount node', `<div id="root"></div>${app}`],
    ['a mount node with a spinner in a page with a menu', `${links(12)}<div id="app">Loading…</div>${app}`],
    ['no mount node that is known, but nothing else either', `<my-shop></my-shop>${app}`],
    [
      'a noscript that asks for JavaScript beside a menu',
      `${links(5)}<noscript>You need to enable JavaScript to run this app.</noscript>${app}`,
    ],
    ['a script in the head', '<div id="root"></div>', '<script type="module" src="/main.js"></script>'],
  ])('%s', (_what, body, head = '') => expect(needsBrowser(facts(body, head))).toBe(true))
})

describe('a page does not need the browser', () => {
  test.each([
    ['no script at all', '<div id="root"></div>'],
    ['only a script of its own text', '<div id="root"></div><script>start()</script>'],
    ['a short page with links', `<p>${words(20)}</p>${links(3)}${app}`],
    ['a mount node that the server filled', `<div id="__next"><p>${words(60)}</p>${links(4)}</div>${app}`],
    [
      'a long page whose noscript asks for JavaScript',
      `<p>${words(200)}</p><noscript>Please enable JavaScript</noscript>${app}`,
    ],
    ['a long page with an empty mount node for a widget', `<p>${words(200)}</p><div id="app"></div>${app}`],
    ['a page of many elements and few words', `${'<img src="a.png" alt="">'.repeat(30)}${app}`],
  ])('%s', (_what, body) => expect(needsBrowser(facts(body))).toBe(false))

  test('a frameset', () => {
    const html =
      '<html><head><script src="a.js"></script></head><frameset><frame src="a.html"></frameset></html>'
    expect(needsBrowser(parse(html, url))).toBe(false)
  })

  test('a page that redirects by meta refresh and counts visitors', () => {
    expect(
      needsBrowser(facts(`<p>${words(50)}</p>${app}`, '<meta http-equiv="refresh" content="0; url=/new">')),
    ).toBe(false)
  })
})

describe('rendering adds substantially', () => {
  const shell = facts(`<div id="root"></div>${app}`)

  test.each([
    ['text', shell, facts(`<p>${words(50)}</p>`)],
    ['links', shell, facts(links(3))],
    ['links to a page with a menu', facts(links(6)), facts(links(9))],
  ])('%s', (_what, plain, rendered) => expect(addsSubstantially(plain, rendered)).toBe(true))

  test.each([
    ['nothing', shell, shell],
    ['a cookie notice', facts(`<p>${words(30)}</p>`), facts(`<p>${words(75)}</p>${links(2)}`)],
    ['one link many times', shell, facts('<a href="/a">A</a>'.repeat(20))],
    ['a teaser below a long page', facts(`<p>${words(150)}</p>`), facts(`<p>${words(210)}</p>`)],
    ['less than there was', facts(`<p>${words(300)}</p>${links(9)}`), shell],
  ])('not: %s', (_what, plain, rendered) => expect(addsSubstantially(plain, rendered)).toBe(false))
})
