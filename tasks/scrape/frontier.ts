import { normalise } from '../crawl/url.ts'
import type { Filter } from './filters.ts'
import type { Reference, Role } from './references.ts'

/** Addresses of each kind that one job knows at most, and those it remembers not to want. */
const KNOWN = 50_000
/** Frames within frames, and redirects after one another. */
const FRAMES = 5
const HOPS = 10

/** One address of a job, and what became of it. */
export type Resource = {
  url: string
  kind: 'page' | 'requisite'
  role: Role
  /** Links from the start page. */
  depth: number
  frames: number
  hops: number
  isStart: boolean
  begun: boolean
  /** Of its answer; 0 when there was none, null when nothing is to be told of it. */
  status: number | null
  type: string | null
  /** Its file in the archive, once it has one, with the size and SHA-256 (in base64url) of what is there. */
  path: string | null
  size: number
  hash: string
  /** Where it redirects to, or the resource with the same content. */
  target: Resource | null
}

/** All addresses of a job: page by page, level by level, what a page needs before the next page. */
export class Frontier {
  readonly resources = new Map<string, Resource>()
  readonly start: Resource
  /** Whether addresses of a kind were left out because there were too many. */
  readonly isFull = { page: false, requisite: false }
  readonly #filter: Filter
  readonly #maxDepth: number
  readonly #hosts = new Set<string>()
  readonly #refused = { page: new Set<string>(), requisite: new Set<string>() }
  #requisites: Resource[] = []
  #nextRequisite = 0
  #level: Resource[] = []
  #nextLevel: Resource[] = []
  #known = { page: 0, requisite: 0 }
  #pagesOut = 0

  constructor(start: URL, { filter, maxDepth }: { filter: Filter; maxDepth: number }) {
    this.#filter = filter
    this.#maxDepth = maxDepth
    this.include(start)
    const url = normalise(start.href)?.href ?? start.href
    const first = { url, kind: 'page', role: 'link', depth: 0, frames: 0, hops: 0, isStart: true } as const
    this.start = this.#add({ ...fresh, ...first })
    this.#level.push(this.start)
  }

  /** Makes a host, and its `www.` twin, part of the site. */
  include({ host }: URL) {
    this.#hosts.add(host)
    this.#hosts.add(host.startsWith('www.') ? host.slice(4) : `www.${host}`)
  }

  isSite = (url: URL) => this.#hosts.has(url.host)

  /** The next to be fetched; undefined when there is none now. Every page is to be `returned`. */
  take(mayBePage: boolean): Resource | undefined {
    const requisite = this.#requisites[this.#nextRequisite++]
    if (requisite) return this.#begin(requisite)
    this.#requisites = []
    this.#nextRequisite = 0
    if (!mayBePage) return undefined
    if (this.#level.length === 0 && this.#pagesOut === 0) {
      this.#level = this.#nextLevel.toReversed()
      this.#nextLevel = []
    }
    for (let next = this.#level.pop(); next; next = this.#level.pop())
      if (!next.begun) return this.#begin(next)
    return undefined
  }

  return({ kind }: Resource) {
    if (kind === 'page') this.#pagesOut--
  }

  /** Queues what a document refers to. */
  offer({ url: address, kind, role }: Reference, from: Resource) {
    const known = this.resources.get(address)
    if (known) {
      if (
        kind === 'requisite' &&
        known.kind === 'page' &&
        !known.begun &&
        this.#isWanted(address, kind, role, from)
      )
        this.#hasten(known, role)
      return
    }
    if (!this.#isWanted(address, kind, role, from)) return
    const frames = role === 'frame' ? from.frames + 1 : kind === 'page' ? 0 : from.frames
    const depth = kind === 'page' ? from.depth + 1 : from.depth
    const resource = this.#admit({ ...fresh, url: address, kind, role, depth, frames, hops: 0 })
    if (resource) (kind === 'page' ? this.#nextLevel : this.#requisites).push(resource)
  }

  /**
   * Where a redirect leads: a new resource, to be fetched at once; one that is known; or why there is nothing to be
   * had. What the job does not want is no fault.
   */
  redirect(
    location: URL | null,
    from: Resource,
  ): { resource: Resource; isNew: boolean } | 'unwanted' | 'fault' {
    const url = location && normalise(location.href)
    if (!url) return 'fault'
    const known = this.resources.get(url.href)
    if (known) return leadsTo(known, from) ? 'fault' : { resource: known, isNew: false }
    if (from.hops === HOPS) return 'fault'
    const { kind, role, depth, frames, isStart } = from
    if (isStart) this.include(url)
    else if (!this.#accepts(url, kind, role)) return 'unwanted'
    const next = { ...fresh, url: url.href, kind, role, depth, frames, isStart, hops: from.hops + 1 }
    const resource = this.#admit(next)
    if (resource) resource.begun = true
    return resource ? { resource, isNew: true } : 'unwanted'
  }

  #begin(resource: Resource) {
    resource.begun = true
    if (resource.kind === 'page') this.#pagesOut++
    return resource
  }

  /** A page that waits is needed by another page now. */
  #hasten(resource: Resource, role: Role) {
    resource.kind = 'requisite'
    resource.role = role
    this.#requisites.push(resource)
  }

  #isWanted(address: string, kind: Resource['kind'], role: Reference['role'], from: Resource): boolean {
    if (kind === 'page' && from.depth >= this.#maxDepth) return false
    if (role === 'frame' && from.frames >= FRAMES) return false
    const refused = this.#refused[kind]
    if (refused.has(address)) return false
    const url = URL.parse(address)
    if (url && this.#accepts(url, kind, role)) return true
    if (refused.size >= KNOWN) refused.clear()
    refused.add(address)
    return false
  }

  #accepts(url: URL, kind: Resource['kind'], role: Role) {
    return (kind === 'requisite' || this.isSite(url)) && this.#filter.wants(url, { kind, role })
  }

  #admit(resource: Resource): Resource | null {
    if (this.#known[resource.kind] < KNOWN) return this.#add(resource)
    this.isFull[resource.kind] = true
    return null
  }

  #add(resource: Resource): Resource {
    this.#known[resource.kind]++
    this.resources.set(resource.url, resource)
    return resource
  }
}

const fresh = {
  isStart: false,
  begun: false,
  status: null,
  type: null,
  path: null,
  size: 0,
  hash: '',
  target: null,
} as const

/** What is there in the end; null when that is nothing. */
export function settle(resource: Resource | undefined): Resource | null {
  let at: Resource | null | undefined = resource
  while (at?.target) at = at.target
  return at?.path ? at : null
}

function leadsTo(from: Resource, to: Resource): boolean {
  for (let at: Resource | null = from; at; at = at.target) if (at === to) return true
  return false
}
