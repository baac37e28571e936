/** The rows of an RFC 4180 text, each by the names of the first. */
export function readCsv(text: string): Record<string, string>[] {
  const [header = [], ...rows] = cells(text)
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])))
}

function cells(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return text.endsWith('\r\n') ? rows.slice(0, -1) : rows
}
