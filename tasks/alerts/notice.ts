import type { Severity } from '../../sql/alerts.ts'
import type { Content } from '../../sql/deliveries.ts'
import type { Notice } from './channels/channel.ts'

type Locale = 'it' | 'en'

const words = {
  it: {
    severity: { info: 'Info', warning: 'Attenzione', critical: 'Critico' } as Record<Severity, string>,
    digest: (alerts: number) => `${alerts} avvisi`,
    rest: (alerts: number) => (alerts === 1 ? '… e un altro' : `… e altri ${alerts}`),
    trial: 'Messaggio di prova: questo canale riceve gli avvisi di SEO Suite.',
    unsubscribe: 'Non ricevere più questi avvisi',
  },
  en: {
    severity: { info: 'Info', warning: 'Warning', critical: 'Critical' } as Record<Severity, string>,
    digest: (alerts: number) => `${alerts} alerts`,
    rest: (alerts: number) => (alerts === 1 ? '… and one more' : `… and ${alerts} more`),
    trial: 'Test message: this channel receives the alerts of SEO Suite.',
    unsubscribe: 'Stop these alerts',
  },
}

/** The notice that a message carries. Made of what is stored alone, so that it is the same on every attempt. */
export function noticeOf(
  messageId: string,
  contents: readonly [Content, ...Content[]],
  locale: Locale,
): Notice {
  const { severity, digest, rest, unsubscribe } = words[locale]
  const [first] = contents
  const { total } = first
  const single = total === 1
  return {
    id: idOf(messageId),
    type: single ? `alert.${first.type}` : 'alert.digest',
    timestamp: new Date(single ? first.datetime : first.begun).toISOString(),
    data: single ? dataOf(first) : { count: total, alerts: contents.map(dataOf) },
    heading: single ? null : digest(total),
    lines: contents.map((alert) => `[${severity[alert.severity]}] ${alert.message}`),
    rest,
    untold: total - contents.length,
    unsubscribe,
  }
}

/** What a channel is tried with. */
export function trialNotice(id: string, locale: Locale): Notice {
  const { trial, rest, unsubscribe } = words[locale]
  return {
    id: idOf(id),
    type: 'alert.test',
    timestamp: new Date().toISOString(),
    data: { message: trial },
    heading: null,
    lines: [trial],
    rest,
    untold: 0,
    unsubscribe,
  }
}

const idOf = (uuid: string) => `msg_${uuid.replaceAll('-', '')}`

const dataOf = ({ id, type, severity, subject, message, details, datetime }: Content) => ({
  id,
  type,
  severity,
  subject,
  message,
  datetime: new Date(datetime).toISOString(),
  details,
})
