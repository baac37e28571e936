import { availableParallelism, cpus } from 'node:os'

/** Columns as wide as their widest cell; numbers to the right. */
export function table(header: string[], rows: (string | number)[][]): string {
  const all = [header, ...rows.map((row) => row.map(worded))]
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('   ')
  const [head, ...body] = all.map(line)
  return [head, '-'.repeat(head?.length ?? 0), ...body].join('\n')
}

function worded(cell: string | number): string {
  if (typeof cell === 'string') return cell
  if (Number.isNaN(cell)) return '-'
  return cell >= 100 ? cell.toFixed(0) : cell >= 10 ? cell.toFixed(1) : cell.toFixed(2)
}

export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
}

export const machine = () =>
  `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`
