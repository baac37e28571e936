import { buffer } from 'node:stream/consumers'

import { SMTPServer } from 'smtp-server'

export type MailServer = {
  url: string
  /** What was delivered: the recipients, and the mail as it came. */
  mails: { to: string[]; text: string }[]
  /** The reply to recipients from now on; 250 takes them. */
  reply: number
  close: () => Promise<void>
}

/** A mail server that takes everything, and nobody's password. */
export async function startMailServer(): Promise<MailServer> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onRcptTo(_address, _session, callback) {
      callback(mail.reply === 250 ? null : Object.assign(new Error('no'), { responseCode: mail.reply }))
    },
    async onData(stream, { envelope }, callback) {
      const text = (await buffer(stream)).toString()
      mail.mails.push({ to: envelope.rcptTo.map(({ address }) => address), text })
      callback()
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as { port: number }
  const mail: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    mails: [],
    reply: 250,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
  return mail
}
