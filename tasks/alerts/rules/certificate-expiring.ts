import type { SiteFacts } from '../../../sql/probes.ts'
import { MISNAMED } from '../../crawl/probes/certificate.ts'
import type { Rule } from './rule.ts'

const DAY_MS = 86_400_000
const WARNING_DAYS = 30
const CRITICAL_DAYS = 7

/** The certificate of a host as it was seen at a time, milliseconds; null when it could not be. */
export type SeenCertificate = { host: string; certificate: SiteFacts['certificate']; at: number }

/** A certificate ends soon, or has ended; told once, once more when it gets urgent, and again after a new one. */
export const certificateExpiring: Rule<SeenCertificate> = {
  type: 'certificate_expiring',
  subject: ({ host }) => `host:${host}`,
  cooldownHours: null,
  judge(seen) {
    // Where there is no site by https, another host's may be shown.
    if (!seen.certificate || seen.certificate.error === MISNAMED) return null
    const days = daysOf(seen)
    return days <= CRITICAL_DAYS ? 'critical' : days <= WARNING_DAYS ? 'warning' : 'well'
  },
  message: {
    it(seen) {
      const days = Math.floor(daysOf(seen))
      const within = days === 0 ? 'oggi' : days === 1 ? 'domani' : `fra ${days} giorni`
      return days < 0
        ? `Il certificato di ${seen.host} è scaduto il ${dayOf(seen)}`
        : `Il certificato di ${seen.host} scade ${within}, il ${dayOf(seen)}`
    },
    en(seen) {
      const days = Math.floor(daysOf(seen))
      const within = days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`
      return days < 0
        ? `The certificate of ${seen.host} expired on ${dayOf(seen)}`
        : `The certificate of ${seen.host} expires ${within}, on ${dayOf(seen)}`
    },
  },
  details: ({ host, certificate }) => ({
    host,
    expires_at: certificate?.validTo,
    issuer: certificate?.issuer,
  }),
  examples: {
    warning: [seen(30), seen(7.1), seen(15, 'DEPTH_ZERO_SELF_SIGNED_CERT')],
    critical: [seen(7), seen(1.5), seen(0.5), seen(-0.1), seen(-400, 'CERT_HAS_EXPIRED')],
    well: [seen(30.1), seen(90)],
    nothing: [{ ...seen(90), certificate: null }, seen(-9, MISNAMED), seen(90, MISNAMED)],
  },
}

const daysOf = ({ certificate, at }: SeenCertificate) =>
  (Date.parse(certificate?.validTo ?? '') - at) / DAY_MS
const dayOf = ({ certificate }: SeenCertificate) => certificate?.validTo.slice(0, 10)

function seen(days: number, error: string | null = null): SeenCertificate {
  const at = Date.parse('2026-06-01T00:00:00Z')
  const validTo = new Date(at + days * DAY_MS).toISOString()
  return { host: 'example.com', certificate: { validTo, issuer: 'Example CA', error }, at }
}
