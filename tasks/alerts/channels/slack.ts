import { type Channel, httpsAddress, textOf } from './channel.ts'

const LENGTH = 3000

/** An incoming webhook of Slack (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). */
export const slack: Channel = {
  kind: 'slack',
  accept: (given) => httpsAddress(given, /^hooks\.slack(-gov)?\.com$/, /^\/services\/[^/]+\/[^/]+\/[^/]+$/),
  send: (notice, { target }, post) =>
    post(
      target,
      JSON.stringify({ text: textOf(notice, LENGTH, escaped), unfurl_links: false, unfurl_media: false }),
    ),
}

/** Otherwise a page's title could mention a whole channel: `<!channel>`. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
