import {
  type SearchParam,
  searchState,
  textParam,
  zoneParam,
} from '../../data/core/search-state.ts'

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

const queryParam: SearchParam<string> = {
  ...textParam('q'),
  write: (query) => (query.trim() === '' ? [] : [['q', query]]),
}

const columnsParam: SearchParam<readonly string[] | undefined> = {
  names: ['column'],
  read: (search) => {
    const columns = toColumnNames(search.getAll('column'))
    return columns.length === 0 ? undefined : columns
  },
  write: (columns = []) => columns.map((column) => ['column', column] as const),
}

/** The address of the page; what cannot be read there is left out. */
export const searchAddress = searchState<SearchAddress>({
  query: queryParam,
  zone: zoneParam('zone'),
  columns: columnsParam,
})
