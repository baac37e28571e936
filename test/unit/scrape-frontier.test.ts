import { describe, expect, test } from 'vitest'

import type { Filter } from '../../tasks/scrape/filters.ts'
import { Frontier, type Resource, settle } from '../../tasks/scrape/frontier.ts'
import type { Reference } from '../../tasks/scrape/references.ts'

const everything: Filter = { wants: () => true, accepts: () => true, maxBytes: null, savesPages: true }

const open = ({ depth = 2, filter = everything } = {}) =>
  new Frontier(new URL('http://site.test/'), { filter, maxDepth: depth })

const refer = (url: string, role: Reference['role'] = 'link'): Reference => ({
  url: new URL(url, 'http://site.test/').href,
  kind: role === 'link' ? 'page' : 'requisite',
  role,
  start: 0,
  end: 0,
  fragment: '',
  absolute: false,
  context: [],
})

const url = (path: string) => new URL(path, 'http://site.test/').href
/** All that can be taken at once, by path. */
function take(frontier: Frontier, mayBePage = true) {
  const taken: Resource[] = []
  for (let next = frontier.take(mayBePage); next; next = frontier.take(mayBePage)) taken.push(next)
  return taken
}
const paths = (resources: Resource[]) => resources.map((resource) => new URL(resource.url).pathname)

test('a level begins when the one before has ended, what a page needs at once', () => {
  const frontier = open()
  const [start] = take(frontier) as [Resource]
  frontier.offer(refer('/a'), start)
  frontier.offer(refer('/a.png', 'image'), start)
  expect(paths(take(frontier))).toEqual(['/a.png'])
  frontier.return(start)
  const [a] = take(frontier) as [Resource]
  frontier.offer(refer('/b'), a)
  expect(take(frontier)).toEqual([])
  frontier.return(a)
  expect(paths(take(frontier))).toEqual(['/b'])
})

test('pages wait while there is no room for them', () => {
  const frontier = open()
  const [start] = take(frontier) as [Resource]
  frontier.offer(refer('/a'), start)
  frontier.offer(refer('/a.png', 'image'), start)
  frontier.return(start)
  expect(paths(take(frontier, false))).toEqual(['/a.png'])
  expect(paths(take(frontier))).toEqual(['/a'])
})

test('depth ends links, not what a page needs', () => {
  const frontier = open({ depth: 0 })
  const [start] = take(frontier) as [Resource]
  frontier.offer(refer('/a'), start)
  frontier.offer(refer('/a', 'frame'), start)
  expect(take(frontier)).toMatchObject([{ url: url('/a'), kind: 'requisite', depth: 0, frames: 1 }])
})

test('what waits as a link and is needed as an image is fetched once, now', () => {
  const frontier = open()
  const [start] = take(frontier) as [Resource]
  frontier.offer(refer('/photo.jpg'), start)
  frontier.offer(refer('/photo.jpg', 'image'), start)
  expect(take(frontier)).toMatchObject([{ url: url('/photo.jpg'), kind: 'requisite', role: 'image' }])
  frontier.return(start)
  expect(take(frontier)).toEqual([])
})

test('frames hold frames only so many times', () => {
  const frontier = open()
  let [inner] = take(frontier) as [Resource]
  const frames: string[] = []
  for (let n = 1; inner; n++) {
    frontier.offer(refer(`/frame-${n}`, 'frame'), inner)
    ;[inner] = take(frontier) as [Resource]
    if (inner) frames.push(inner.url)
  }
  expect(frames).toHaveLength(5)
})

test.each([
  ['http://site.test:8080/', false],
  ['https://site.test/', true],
  ['http://www.site.test/', true],
  ['http://other.site.test/', false],
])('%s belongs to the site: %s', (address, belongs) => {
  const frontier = open()
  const [start] = take(frontier) as [Resource]
  frontier.offer(refer(address), start)
  frontier.return(start)
  expect(take(frontier)).toHaveLength(belongs ? 1 : 0)
})

describe('redirects', () => {
  const begin = (filter?: Filter) => {
    const frontier = open(filter ? { filter } : {})
    const [start] = take(frontier) as [Resource]
    frontier.offer(refer('/from'), start)
    frontier.offer(refer('/known'), start)
    frontier.return(start)
    const [from, known] = take(frontier) as [Resource, Resource]
    return { frontier, start, from, known }
  }

  test('lead to what is known, or to something new', () => {
    const { frontier, from, known } = begin()
    expect(frontier.redirect(new URL(known.url), from)).toEqual({ resource: known, isNew: false })
    expect(frontier.redirect(new URL('http://site.test/new'), from)).toMatchObject({
      isNew: true,
      resource: { url: url('/new'), depth: 1, hops: 1, kind: 'page' },
    })
  })

  test('that lead back, nowhere or too far are faults', () => {
    const { frontier, from, known } = begin()
    expect(frontier.redirect(new URL(from.url), from)).toBe('fault')
    known.target = from
    expect(frontier.redirect(new URL(known.url), from)).toBe('fault')
    expect(frontier.redirect(null, from)).toBe('fault')
    expect(frontier.redirect(new URL('file:///etc/passwd'), from)).toBe('fault')
    from.hops = 10
    expect(frontier.redirect(new URL('http://site.test/new'), from)).toBe('fault')
  })

  test('out of the site, or to what filters refuse, are no faults', () => {
    const { frontier, from } = begin({ ...everything, wants: ({ pathname }) => pathname !== '/refused' })
    expect(frontier.redirect(new URL('http://elsewhere.test/'), from)).toBe('unwanted')
    expect(frontier.redirect(new URL('http://site.test/refused'), from)).toBe('unwanted')
  })

  test('of the start page may leave, and take the site with them', () => {
    const { frontier, start } = begin()
    const next = frontier.redirect(new URL('http://elsewhere.test/'), start)
    expect(next).toMatchObject({ isNew: true, resource: { isStart: true } })
    expect(frontier.isSite(new URL('http://www.elsewhere.test/a'))).toBe(true)
  })

  test('settle on the file at their end', () => {
    const { from, known } = begin()
    from.target = known
    expect(settle(from)).toBe(null)
    known.path = 'known.html'
    expect(settle(from)).toBe(known)
  })
})

test('addresses are bounded, and the bound is told', () => {
  const frontier = open()
  const [start] = take(frontier) as [Resource]
  for (let n = 0; n < 50_000; n++) frontier.offer(refer(`/${n}`), start)
  expect(frontier.isFull).toEqual({ page: true, requisite: false })
  expect(frontier.resources.size).toBe(50_000)
  frontier.offer(refer('/a.png', 'image'), start)
  expect(paths(take(frontier))).toEqual(['/a.png'])
})
