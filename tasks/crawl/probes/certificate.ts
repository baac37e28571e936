import type { LookupAddress } from 'node:dns'
import { type ConnectionOptions, type TLSSocket, connect } from 'node:tls'

import type { SiteFacts } from '../../../sql/probes.ts'
import type { Guard } from '../../address.ts'
import { FetchFault, faultOf } from '../../fault.ts'

const HANDSHAKE_MS = 10_000
/** `error` of a certificate that is another host's. */
export const MISNAMED = 'ERR_TLS_CERT_ALTNAME_INVALID'

type Asking = { rules: Guard; signal: AbortSignal; ca?: string }

/** The certificate of an https site, good or bad. Rejects when no handshake came about. */
export function readCertificate(url: URL, asking: Asking): Promise<SiteFacts['certificate']> {
  return withHandshake(url, asking, {}, (socket) => {
    const { valid_to, issuer } = socket.getPeerCertificate()
    if (!valid_to) return null
    const name = issuer?.O ?? issuer?.CN ?? ''
    return {
      validTo: new Date(valid_to).toISOString(),
      issuer: [name].flat().join(', ').toWellFormed().replaceAll('\0', ''),
      // Declared as an error, and in fact its code.
      error: socket.authorized ? null : String(socket.authorizationError),
    }
  })
}

/** Whether a server lets old clients in: with TLS 1.0 or 1.1 (RFC 8996). Null when it did not answer at all. */
export async function acceptsOldTls(url: URL, asking: Asking): Promise<boolean | null> {
  // Such handshakes need ciphers and signatures that OpenSSL no longer offers by itself.
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  try {
    return await withHandshake(url, asking, old, () => true)
  } catch (error) {
    asking.signal.throwIfAborted()
    return faultOf(error).kind === 'tls' ? false : null
  }
}

async function withHandshake<T>(
  url: URL,
  { rules, signal, ca }: Asking,
  options: ConnectionOptions,
  read: (socket: TLSSocket) => T,
): Promise<T> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || 443)
  rules.admit(host, port)
  const addresses = await rules.addresses(host)
  signal.throwIfAborted()
  const socket = connect({
    ...options,
    host,
    port,
    // Names alone may be sent (RFC 6066 §3).
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    lookup: (_host, { all }, done) => {
      const [first] = addresses as [LookupAddress]
      if (all) done(null, addresses)
      else done(null, first.address, first.family)
    },
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
    ...(ca !== undefined && { ca }),
  })
  const stop = () => socket.destroy(signal.reason as Error)
  const limit = setTimeout(
    () => socket.destroy(new FetchFault('timeout', `no handshake within ${HANDSHAKE_MS / 1000} s`)),
    HANDSHAKE_MS,
  )
  signal.addEventListener('abort', stop, { once: true })
  try {
    await new Promise<void>((secured, fail) => socket.once('secureConnect', secured).once('error', fail))
    rules.admit(socket.remoteAddress ?? '')
    return read(socket)
  } finally {
    clearTimeout(limit)
    signal.removeEventListener('abort', stop)
    socket.on('error', () => {}).destroy()
  }
}
