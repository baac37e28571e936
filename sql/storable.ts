/** The same value as PostgreSQL can hold it: its text has neither U+0000 nor half a surrogate pair. */
export function storable<T>(value: T): T {
  const text = JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? part.replaceAll('\0', '').toWellFormed() : part,
  )
  return JSON.parse(text) as T
}
