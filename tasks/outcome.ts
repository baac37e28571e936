import type { Logger } from 'pino'

/** What every task is given besides its payload. */
export type Tools = {
  /** Tells the job with every line. */
  log: Logger
  /** Fires when the worker stops or the job's time is over: write down what there is, and return. */
  signal: AbortSignal
  /** This worker process; holder of leases. */
  workerId: string
}

/** Thrown when trying again cannot help: the job has failed for good. */
export class GiveUp extends Error {
  override readonly name = 'GiveUp'
}

/** Thrown to be run again after some seconds; it does not count as an attempt. */
export class Later extends Error {
  override readonly name = 'Later'
  readonly seconds: number

  constructor(seconds: number) {
    super(`again in ${seconds} s`)
    this.seconds = seconds
  }
}
