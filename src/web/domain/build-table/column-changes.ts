import { columnMeaning, type ShownColumn, withinBounds } from './build-columns.tsx'

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

/** With a column of another width, px, which stays. */
export function resizedColumn(
  columns: readonly ShownColumn[],
  name: string,
  width: number,
): readonly ShownColumn[] {
  return columns.map((column) =>
    column.name === name ? { name, width: withinBounds(name, width), isFixed: true } : column,
  )
}
