import { type Channel, textOf } from './channel.ts'

const API = 'https://api.telegram.org'
const LENGTH = 4096
const TARGET = /^tgram:\/\/(\d{1,20}:[\w-]{1,100})\/(-?\d{1,20}|@\w{1,64})\/?$/

/** A bot of Telegram and the chat it writes to: `tgram://BOT_TOKEN/CHAT_ID` (core.telegram.org/bots/api#sendmessage). */
export const telegram: Channel = {
  kind: 'telegram',
  accept: (given) => (TARGET.test(given) ? given : null),
  mask: (target) => `tgram://••••••••/${partsOf(target).chat}`,
  send(notice, { target }, post) {
    const { token, chat } = partsOf(target)
    const body = {
      chat_id: chat,
      text: textOf(notice, LENGTH),
      link_preview_options: { is_disabled: true },
    }
    return post(`${API}/bot${token}/sendMessage`, JSON.stringify(body))
  },
}

function partsOf(target: string) {
  const [, token = '', chat = ''] = TARGET.exec(target) ?? []
  return { token, chat }
}
