import ipaddr from 'ipaddr.js'

import type { Facts, Link } from './facts.ts'
import { anchorKey } from './fragments.ts'
import { vagueTexts } from './link-texts.ts'
import { urlKey } from './url.ts'

const RESOURCE = /\.(avif|bmp|css|gif|ico|jpe?g|js|mjs|png|svg|webp)$/i
/** UTF-16 units kept of the text of a link. */
const TEXT = 100
/** Links to places on pages looked at, of one page. */
const FRAGMENTS = 500
const TRACKING = /[?&](utm_[a-z]+|gclid|fbclid|msclkid)=/i

/** `text`: of the first link that has one. */
export type Target = { url: string; key: string; nofollow: boolean; internal: boolean; text: string }

/** What the links of a page amount to, once it is known which of them stay on the site. */
export type Survey = {
  internal: number
  external: number
  /** Links to another page than this one. */
  outgoing: number
  insecure: number
  local: number
  nofollow: number
  tracking: number
  opener: number
  resources: number
  unnamed: number
  vague: number
  /** Distinct pages of the site, in document order. */
  targets: Target[]
  /** Distinct places on other pages of the site, and those on this page that are not there. */
  fragments: { key: string; fragment: number }[]
  /** Distinct addresses outside the site. */
  externals: string[]
}

/** Counts the links of a page in one pass. */
export function surveyLinks(facts: Facts, url: URL, isInternal: (url: URL) => boolean): Survey {
  const isVague = vagueTexts(facts.lang)
  const onPublicHost = !isLocal(url.hostname)
  const pageNofollow = facts.robots.includes('nofollow') || facts.robots.includes('none')
  const seen = new Map<string, { internal: boolean; target: Target | null }>()
  // oxfmt-ignore
  const survey: Survey = {
    internal: 0, external: 0, outgoing: 0, insecure: 0, local: 0, nofollow: 0, tracking: 0, opener: 0, resources: 0,
    unnamed: 0, vague: 0, targets: [], fragments: [], externals: [],
  }
  const meet = ({ to, url: address, source }: Link) => {
    const internal = isInternal(to)
    const target =
      internal && address !== url.href
        ? { url: address, key: urlKey(address), nofollow: true, internal, text: '' }
        : null
    if (target) survey.targets.push(target)
    if (!internal && (source === 'a' || source === 'area')) survey.externals.push(address)
    const met = { internal, target }
    seen.set(address, met)
    return met
  }
  const places = new Set<string>()
  const addFragment = (link: Link, fragment: string) => {
    const own = link.url === url.href
    if ((own && facts.anchors.has(fragment)) || places.size >= FRAGMENTS) return
    const place = `${link.url}#${fragment}`
    if (places.has(place)) return
    places.add(place)
    const key = seen.get(link.url)?.target?.key ?? urlKey(link.url)
    survey.fragments.push({ key, fragment: anchorKey(fragment) })
  }
  for (const link of facts.links) {
    const { internal, target } = seen.get(link.url) ?? meet(link)
    if (target && !link.nofollow && !pageNofollow) target.nofollow = false
    if (target?.text === '') target.text = shortened(link.text)
    if (link.fragment !== null && internal && !link.hidden) addFragment(link, link.fragment)
    if (link.source === 'frame' || link.source === 'refresh') continue
    survey[internal ? 'internal' : 'external']++
    if (link.url !== url.href) survey.outgoing++
    if (url.protocol === 'https:' && link.to.protocol === 'http:') survey.insecure++
    if (onPublicHost && !internal && isLocal(link.to.hostname)) survey.local++
    if (internal && (link.nofollow || pageNofollow)) survey.nofollow++
    if (internal && link.to.search && TRACKING.test(link.to.search)) survey.tracking++
    if (!internal && link.opener) survey.opener++
    if (RESOURCE.test(link.to.pathname)) survey.resources++
    if (!link.hidden && link.text === '') survey.unnamed++
    else if (!link.hidden && isVague(link.text)) survey.vague++
  }
  return survey
}

const shortened = (text: string) => (text.length > TEXT ? text.slice(0, TEXT).toWellFormed() : text)

/** The machine itself, or an address of a private network. */
function isLocal(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  if (!/^(\[|[\d.]+$)/.test(host)) return false
  const address = host.replace(/^\[|\]$/g, '')
  return (
    ipaddr.isValid(address) &&
    ['loopback', 'private', 'uniqueLocal', 'linkLocal', 'unspecified'].includes(
      ipaddr.process(address).range(),
    )
  )
}
