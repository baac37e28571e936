import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

/** A process beside this one, which answers one message at a time. */
export type Helper = {
  pid: number
  ask: <T>(message: object) => Promise<T>
  stop: () => Promise<void>
}

export function startHelper(file: string): Helper {
  const child: ChildProcess = fork(resolve(import.meta.dirname, file), {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  return {
    pid: child.pid ?? 0,
    async ask<T>(message: object) {
      child.send(message)
      const answered = once(child, 'message')
      const ended = once(child, 'exit').then(() => {
        throw new Error(`${file} ended`)
      })
      const [answer] = (await Promise.race([answered, ended])) as [T]
      return answer
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}
