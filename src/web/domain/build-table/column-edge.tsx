import { type KeyboardEvent, type ReactElement, useRef } from 'react'
import { boundsOf, columnMeaning, type ShownColumn, withinBounds } from './build-columns.tsx'
import css from './build-table.module.css'

/** How far an arrow key moves an edge, px; with Shift it goes further. */
const step = { small: 8, large: 40 }

/** What lets columns be resized: given to the table by those screens that do. */
export interface ColumnEdges {
  readonly ColumnEdge: typeof ColumnEdge
  readonly widthsOf: typeof widthsOf
}

/** The right edge of a column: drawn by pointer, moved by arrow keys, and set to the content by a double click. */
function ColumnEdge({
  column: { name, width },
  onWidth,
}: {
  column: ShownColumn
  /** `isDone`: it was let go. */
  onWidth: (name: string, width: number, isDone: boolean) => void
}): ReactElement {
  const { heading } = columnMeaning(name)
  const { least, most } = boundsOf(name)
  /** From the pointer to the edge when it was taken hold of, px. */
  const held = useRef<number>(undefined)

  function widthNow(edge: Element): number {
    return edge.parentElement?.getBoundingClientRect().width ?? width
  }

  function onKeyDown(event: KeyboardEvent<HTMLSpanElement>): void {
    const by = event.shiftKey ? step.large : step.small
    const now = widthNow(event.currentTarget)
    const next = {
      ArrowLeft: now - by,
      ArrowRight: now + by,
      Home: least,
      End: most,
      Enter: contentWidth(event.currentTarget, name),
    }[event.key]
    if (next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    onWidth(name, next, true)
  }

  return (
    <span
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${heading}`}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={width}
      aria-valuetext={`${width} pixels`}
      tabIndex={0}
      className={css.edge}
      onKeyDown={onKeyDown}
      onDoubleClick={(event) => {
        onWidth(name, contentWidth(event.currentTarget, name), true)
      }}
      onPointerDown={(event) => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        held.current = widthNow(event.currentTarget) - event.clientX
      }}
      onPointerMove={(event) => {
        if (held.current !== undefined) onWidth(name, held.current + event.clientX, false)
      }}
      onLostPointerCapture={(event) => {
        if (held.current !== undefined) onWidth(name, held.current + event.clientX, true)
        held.current = undefined
      }}
    />
  )
}

/** As much as the rows in the document need, px. */
function contentWidth(edge: Element, name: string): number {
  const table = edge.closest('[role="table"]')
  const cells = [...(table?.querySelectorAll(`[data-column="${CSS.escape(name)}"]`) ?? [])]
  return Math.max(0, ...cells.map(({ scrollWidth }) => scrollWidth)) + 2
}

/** The columns as wide as they are on the screen, and one of them as wide as wanted, px. */
function widthsOf(
  columns: readonly ShownColumn[],
  table: Element | null,
  wanted: { readonly name: string; readonly width: number },
): readonly ShownColumn[] {
  const heads = new Map(
    [...(table?.querySelectorAll<HTMLElement>('[data-head]') ?? [])].map((head) => [
      head.dataset.head,
      head.getBoundingClientRect().width,
    ]),
  )
  const all = columns.reduce<readonly ShownColumn[]>(
    (sofar, { name, width, isFixed }) =>
      isFixed === true ? sofar : resizedColumn(sofar, name, heads.get(name) ?? width),
    columns,
  )
  return resizedColumn(all, wanted.name, wanted.width)
}

export const columnEdges: ColumnEdges = { ColumnEdge, widthsOf }

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
