import { columnMeaning } from './column-meaning.ts'
import { toColumnNames, usualColumns } from './column-names.ts'

/** A column that is shown, and its width in px. */
export interface ShownColumn {
  readonly name: string
  readonly width: number
}

/** Columns stay readable, and leave room for others. */
const narrowest = 56
const widest = 640

/** The columns to show: those of a link, else those chosen on this device, else the usual ones. */
export function shownColumns(
  ofLink: readonly string[] | undefined,
  chosen: readonly ShownColumn[] | undefined,
): readonly ShownColumn[] {
  const names = toColumnNames(ofLink ?? chosen?.map(({ name }) => name) ?? usualColumns)
  return (names.length === 0 ? usualColumns : names).map((name) => ({
    name,
    width: withinBounds(
      chosen?.find((column) => column.name === name)?.width ?? columnMeaning(name).width,
    ),
  }))
}

/** With a column at the end, or without it; the last one stays. */
export function toggledColumn(
  columns: readonly ShownColumn[],
  name: string,
): readonly ShownColumn[] {
  if (!columns.some((column) => column.name === name)) {
    return [...columns, { name, width: columnMeaning(name).width }]
  }
  return columns.length === 1 ? columns : columns.filter((column) => column.name !== name)
}

/** With a column moved by some places; not beyond the ends. */
export function movedColumn(
  columns: readonly ShownColumn[],
  name: string,
  by: number,
): readonly ShownColumn[] {
  const from = columns.findIndex((column) => column.name === name)
  const column = columns[from]
  if (column === undefined) return columns
  const others = columns.filter((other) => other !== column)
  const to = Math.min(Math.max(from + by, 0), others.length)
  return [...others.slice(0, to), column, ...others.slice(to)]
}

/** With a column of another width, px. */
export function resizedColumn(
  columns: readonly ShownColumn[],
  name: string,
  width: number,
): readonly ShownColumn[] {
  return columns.map((column) =>
    column.name === name ? { name, width: withinBounds(width) } : column,
  )
}

function withinBounds(width: number): number {
  return Math.round(Math.min(Math.max(width, narrowest), widest))
}
