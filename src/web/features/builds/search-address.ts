/** What the page shows, as its address says it. */
export interface SearchAddress {
  /** The query exactly as it was typed; empty for all builds. */
  readonly query: string
  /**
   * The IANA zone of the times in the query that are written without one, so that whoever opens the
   * link means the same instants; undefined where there are none, or where nobody said.
   */
  readonly zone: string | undefined
  /** Columns that the link asks for in place of those of the device. */
  readonly columns: readonly string[] | undefined
}

/** Reads it; what cannot be read is as if not said. */
export function readSearchAddress(search: URLSearchParams): SearchAddress {
  const zone = search.get('zone') ?? undefined
  const columns = toColumnNames(search.getAll('column'))
  return {
    query: search.get('q') ?? '',
    zone: zone !== undefined && isTimeZone(zone) ? zone : undefined,
    columns: columns.length === 0 ? undefined : columns,
  }
}

/** Writes it into an address, of which all else is kept. */
export function writeSearchAddress(
  { query, zone, columns }: SearchAddress,
  search = new URLSearchParams(),
): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const name of ['q', 'zone', 'column']) next.delete(name)
  if (query.trim() !== '') next.set('q', query)
  if (zone !== undefined) next.set('zone', zone)
  for (const column of columns ?? []) next.append('column', column)
  return next
}

/** Whether `text` names a zone that this browser knows. */
function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** The columns that every build can fill, in the order of reading. */
export const plainColumns = [
  'outcome',
  'project',
  'requested',
  'branch',
  'user',
  'host',
  'tags',
  'duration',
  'started',
  'received',
  'tool',
  'agent',
  'failure',
] as const
export type PlainColumn = (typeof plainColumns)[number]

/** A custom value as a column: `value:Git commit id`. */
const ofValue = 'value:'

/** The columns of a device on which none were chosen. */
export const usualColumns: readonly string[] = [
  'outcome',
  'project',
  'requested',
  'branch',
  'user',
  'duration',
  'tool',
  'received',
]

/** The plain column of that name, or undefined. */
export function plainColumn(name: string): PlainColumn | undefined {
  return plainColumns.find((plain) => plain === name)
}

/** The name of the custom value that is shown by a column, or undefined for a plain one. */
export function valueOfColumn(name: string): string | undefined {
  return name.startsWith(ofValue) && name.length > ofValue.length
    ? name.slice(ofValue.length)
    : undefined
}

/** The column that shows a custom value. */
export function columnOfValue(valueName: string): string {
  return `${ofValue}${valueName}`
}

/** Those of `names` that are columns, each once. */
export function toColumnNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)].filter(
    (name) => plainColumn(name) !== undefined || valueOfColumn(name) !== undefined,
  )
}
