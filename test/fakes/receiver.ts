import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

import { Agent, buildConnector } from 'undici'

const certificate = {
  key: readFileSync(new URL('self-signed.key.pem', import.meta.url)),
  cert: readFileSync(new URL('self-signed.cert.pem', import.meta.url)),
}

type Received = { method: string; url: string; headers: IncomingHttpHeaders; body: string }
type Behaviour =
  | { status: number; headers?: Record<string, string>; body?: string | Buffer }
  | 'hang'
  | 'hang up'

export type Receiver = {
  /** All that came, in order; `url` is the whole address. */
  received: Received[]
  /** How it answers from now on. */
  answer: Behaviour
  /** Connections that lead here, whatever host they are for. */
  through: Agent
  port: number
  close: () => Promise<void>
}

/** Stands for every host there is, over TLS. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer(certificate, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    receiver.received.push({
      method,
      url: `https://${headers.host}${url}`,
      headers,
      body: Buffer.concat(chunks).toString(),
    })
    if (receiver.answer === 'hang') return
    if (receiver.answer === 'hang up') return void request.socket.destroy()
    response.writeHead(receiver.answer.status, receiver.answer.headers)
    response.end(receiver.answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const connect = buildConnector({ rejectUnauthorized: false, allowH2: false })
  const receiver: Receiver = {
    received: [],
    answer: { status: 200 },
    through: new Agent({
      connect: (options, callback) =>
        connect({ ...options, hostname: '127.0.0.1', port: String(port) }, callback),
    }),
    port,
    async close() {
      await receiver.through.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}
