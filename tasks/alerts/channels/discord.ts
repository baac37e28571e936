import { type Channel, httpsAddress, textOf } from './channel.ts'

/** Of a description. */
const LENGTH = 4096

/** A webhook of Discord (docs.discord.com/developers/resources/webhook#execute-webhook). */
export const discord: Channel = {
  kind: 'discord',
  accept: (given) =>
    httpsAddress(
      given,
      /^((ptb|canary)\.)?discord(app)?\.com$/,
      /^\/api\/(v\d+\/)?webhooks\/\d+\/[\w-]+\/?$/,
    ),
  send: (notice, { target }, post) =>
    post(
      target,
      JSON.stringify({
        embeds: [{ description: textOf(notice, LENGTH, escaped) }],
        allowed_mentions: { parse: [] },
      }),
    ),
}

const escaped = (text: string) => text.replaceAll(/[\\*_~`|>#[\]()<-]/g, String.raw`\$&`)
