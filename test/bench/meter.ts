import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const MS_PER_TICK = 10 // Linux counts CPU time in 1/100 s
const RESET_PEAK = '5' // see proc(5), clear_refs

export type Used = { cpuMs: number; peakMb: number }

/** What a process and its children use from now until `read`. */
export function meter(pid: number): { read: () => Used } {
  const before = cpuMs(pid)
  writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK)
  return { read: () => ({ cpuMs: cpuMs(pid) - before, peakMb: peakMb(pid) }) }
}

/** CPU time of this process's children that have ended. */
export const endedChildrenMs = () => milliseconds(stat(process.pid)?.slice(13, 15))

/** The process's own time, that of its ended children, and that of those that live; 0 when it ended meanwhile. */
function cpuMs(pid: number): number {
  const fields = stat(pid)
  if (!fields) return 0
  return milliseconds(fields.slice(11, 15)) + childrenOf(pid).reduce((sum, child) => sum + cpuMs(child), 0)
}

const milliseconds = (fields: string[] = []) =>
  fields.reduce((sum, field) => sum + Number(field), 0) * MS_PER_TICK

/** The fields after the name, which may hold anything: state, ppid, … utime, stime, cutime, cstime from the 12th on. */
function stat(pid: number): string[] | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return line.slice(line.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => Number(stat(other)?.[1]) === pid)
}

/** The most that the process has had in memory since it began or was last reset. */
export function peakMb(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0'
  return Number(kilobytes) / 1024
}
