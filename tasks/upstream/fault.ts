/**
 * Why a paid source did not give what was asked: the account is refused, or out of money; too many calls; a fault that
 * passes; a result that is not there yet; a question it does not take; an answer with nothing in it.
 */
export type UpstreamFaultKind = 'auth' | 'funds' | 'rate' | 'temporary' | 'pending' | 'input' | 'empty'

export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault'
  readonly kind: UpstreamFaultKind
  /** When it may be tried again, milliseconds from now; undefined: trying again cannot help, or costs money blindly. */
  readonly retryAfterMs: number | undefined

  constructor(kind: UpstreamFaultKind, message: string, retryAfterMs?: number, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}
