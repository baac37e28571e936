import type { Row } from './endpoint.ts'

/** No export has more rows. */
export const CSV_ROWS = 5000

/** Records as a CSV file (RFC 4180, CRLF); the columns are the keys of the first, and no record is an empty file. */
export function toCsv(rows: readonly Row[]): string {
  const [first] = rows
  if (!first) return ''
  const columns = Object.keys(first)
  const lines = rows.slice(0, CSV_ROWS).map((row) => columns.map((column) => cell(row[column])).join(','))
  return [columns.map((column) => cell(column)).join(','), ...lines, ''].join('\r\n')
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return quoted(harmless(text))
}

/** A spreadsheet runs a cell that begins like this as a formula. */
function harmless(text: string) {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

function quoted(text: string) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
