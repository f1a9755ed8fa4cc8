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
