export type FaultKind = 'dns' | 'connection' | 'tls' | 'timeout' | 'forbidden' | 'protocol' | 'encoding'

/** Why nothing, or nothing more, came back from an address. */
export class FetchFault extends Error {
  override readonly name = 'FetchFault'
  readonly kind: FaultKind

  constructor(kind: FaultKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** The fault behind an error of the network stack. */
export function faultOf(error: unknown): FetchFault {
  if (error instanceof FetchFault) return error
  // A failed race of several addresses is told by its first failure.
  if (error instanceof AggregateError && error.errors.length > 0 && !codeOf(error))
    return faultOf(error.errors[0])
  const message = messageOf(error)
  const kind = hungUpInHandshake.test(message) ? 'tls' : kindOf(codeOf(error))
  return new FetchFault(kind, message, { cause: error })
}

const codeOf = (error: unknown) => (error as { code?: string } | null)?.code ?? ''
const messageOf = (error: unknown) =>
  (error instanceof Error && error.message) || codeOf(error) || String(error)

/** Node gives this the code of any reset. */
const hungUpInHandshake = /before secure TLS connection/

const kinds: [RegExp, FaultKind][] = [
  [/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EREFUSED)/, 'dns'],
  [/^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)/, 'timeout'],
  [
    /^(ERR_SSL_|ERR_TLS_|EPROTO|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_)/,
    'tls',
  ],
  [/^(ERR_)?(PATH_LENGTH_EXCEEDED|UNSUPPORTED_CERTIFICATE)/, 'tls'],
  [
    /^(HPE_|UND_ERR_(HEADERS_OVERFLOW|INVALID_ARG|RES_CONTENT_LENGTH_MISMATCH|NOT_SUPPORTED|REQ_))/,
    'protocol',
  ],
  [/^Z_/, 'encoding'],
  [/^(E[A-Z]+|UND_ERR_)/, 'connection'],
]

const kindOf = (code: string): FaultKind => kinds.find(([codes]) => codes.test(code))?.[1] ?? 'protocol'
