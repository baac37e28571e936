import { type Channel, httpsAddress, textOf } from './channel.ts'

/** A message may have 28 kB. */
const LENGTH = 12_000

/**
 * A Workflows address of Microsoft Teams ("When a Teams webhook request is received"), which takes an Adaptive Card. The
 * addresses of Office 365 connectors (webhook.office.com) were retired.
 */
export const teams: Channel = {
  kind: 'teams',
  accept: (given) =>
    httpsAddress(
      given,
      /(^|\.)(logic\.azure\.(com|us)|(api\.)?powerplatform\.(com|us)|(api\.)?powerautomate\.(com|us))$/,
      /^\/.*(workflows|automations)\//,
    ),
  send: (notice, { target }, post) => post(target, JSON.stringify(message(textOf(notice, LENGTH)))),
}

function message(text: string) {
  // Rich text is shown as it is; a text block would read it as Markdown.
  const body = text
    .split('\n')
    .map((line) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: line }] }))
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body,
    msteams: { width: 'Full' },
  }
  const card = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
  return { type: 'message', attachments: [card] }
}
