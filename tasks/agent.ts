import type { LookupFunction } from 'node:net'
import { callbackify } from 'node:util'

import { Agent, buildConnector } from 'undici'

import { config } from '../config.ts'
import { type Guard, guard } from './address.ts'
import { faultOf } from './fault.ts'

const connectMs = 10_000
const idleMs = 4_000
const headerBytes = 64 * 1024

/** The address rules of this process. */
export const rules = guard({ privateNetworks: config.ALLOW_PRIVATE_NETWORKS })

/** Kept-alive connections by origin, each of them only to an address that the rules admit. */
export function guardedAgent(rules: Guard, { ca }: { ca?: string } = {}): Agent {
  return new Agent({
    connect: guardedConnector(rules, ca),
    allowH2: false,
    pipelining: 1,
    connections: Math.max(16, config.SPIDER_CONCURRENCY, config.SCRAPER_CONCURRENCY),
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: 10 * idleMs,
    maxHeaderSize: headerBytes,
    // The exchange has one deadline for everything.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** Errors of connections that had served before: the server may have hung up on one while it was idle. */
const stale = new WeakSet()
export const isStale = (error: Error) => stale.has(error)

function guardedConnector(rules: Guard, ca: string | undefined): buildConnector.connector {
  const connect = buildConnector({
    allowH2: false,
    timeout: connectMs,
    lookup: guardedLookup(rules),
    ...(ca !== undefined && { ca }),
  })
  return (options, callback) => {
    try {
      // A literal address is never looked up, so it is checked here.
      rules.admit(options.hostname, Number(options.port) || undefined)
    } catch (error) {
      callback(faultOf(error), null)
      return
    }
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      try {
        rules.admit(socket.remoteAddress ?? '')
      } catch (refusal) {
        socket.destroy()
        return callback(faultOf(refusal), null)
      }
      socket.once('error', (fault) => socket.bytesRead > 0 && stale.add(fault))
      callback(null, socket)
    })
  }
}

function guardedLookup({ addresses }: Guard): LookupFunction {
  const lookup = callbackify(addresses)
  return (hostname, { all }, callback) =>
    lookup(hostname, (error, found) => {
      if (error) callback(error, [])
      else if (all) callback(null, found)
      else callback(null, found[0]?.address ?? '', found[0]?.family)
    })
}
