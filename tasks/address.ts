import { lookup, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'

import ipaddr from 'ipaddr.js'

import { FetchFault } from './fault.ts'

const cacheMs = 60_000
const cacheEntries = 10_000
/** Ports that speak something else than HTTP: what browsers refuse, and the databases. */
const foreignPorts = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 445, 465, 512, 513, 514,
  515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 873, 989, 990, 993, 995, 1433, 1521, 1719,
  1720, 1723, 2049, 2375, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667,
  6668, 6669, 6679, 6697, 10080, 11211, 27017,
])
const globalUnicast = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

export type Resolve = (hostname: string) => Promise<LookupAddress[]>
export type Guard = {
  /** Throws unless this port, and this host where it is a literal address, may be connected to. */
  admit: (hostname: string, port?: number) => void
  /** Every address of a host, all of them admitted. Connect to these and nothing is left to resolve again. */
  addresses: Resolve
}

/** Decides which addresses may be connected to. Everything that opens a socket on somebody's word asks it. */
export function guard({
  privateNetworks,
  resolve = cached(resolveName),
}: {
  privateNetworks: boolean
  resolve?: Resolve
}): Guard {
  const check = (host: string, address: string) => {
    if (!privateNetworks && isIP(address) && !isPublic(address)) throw forbidden(host, address)
  }
  return {
    admit(hostname, port) {
      const host = bare(hostname)
      check(host, host)
      if (!privateNetworks && port !== undefined && foreignPorts.has(port))
        throw new FetchFault('forbidden', `port ${port} is not for web servers`)
    },
    async addresses(hostname) {
      const host = bare(hostname)
      const family = isIP(host)
      const found = family === 0 ? await resolve(host) : [{ address: host, family }]
      for (const { address } of found) check(host, address)
      return found
    },
  }
}

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

/** Whether an address, in any notation, belongs to the public internet. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const ip = ipaddr.process(address)
  // ipaddr.js names only what is reserved; of IPv6 nothing outside 2000::/3 is assigned to anybody.
  return ip.range() === 'unicast' && (ip.kind() === 'ipv4' || (ip as ipaddr.IPv6).match(globalUnicast))
}

const forbidden = (host: string, address: string) =>
  new FetchFault(
    'forbidden',
    host === address
      ? `${host} is not a public address`
      : `${host} resolves to ${address}, which is not a public address`,
  )

const resolveName: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, found) => {
      if (error)
        reject(new FetchFault('dns', `${hostname} cannot be resolved (${error.code})`, { cause: error }))
      else resolve(found)
    })
  })

/** Remembers answers for a minute and asks once for those who ask together; failures are asked again. */
export function cached(resolve: Resolve): Resolve {
  const known = new Map<string, { until: number; found: Promise<LookupAddress[]> }>()
  return (hostname) => {
    const entry = known.get(hostname)
    if (entry && entry.until > performance.now()) return entry.found
    known.delete(hostname)
    if (known.size >= cacheEntries) known.delete(known.keys().next().value ?? '')
    const fresh = { until: performance.now() + cacheMs, found: resolve(hostname) }
    known.set(hostname, fresh)
    fresh.found.catch(() => known.get(hostname) === fresh && known.delete(hostname))
    return fresh.found
  }
}
