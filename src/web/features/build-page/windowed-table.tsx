import type { CSSProperties, ReactElement, ReactNode } from 'react'
import { useKeys } from '../../ui/keys.tsx'
import type { WindowedRows } from './use-window.ts'
import css from './windowed-table.module.css'

/** A column of a long table. */
export interface Column<T> {
  readonly name: string
  readonly heading: string
  /** Its width as CSS grid has it, such as "minmax(0, 1fr)". */
  readonly width: string
  readonly cell: (row: T) => ReactNode
  /** Numbers stand at the right. */
  readonly isNumber?: boolean
  /** Left out where there is little room. */
  readonly isMinor?: boolean
}

/** What a long table shows and tells. */
export interface WindowedTableProps<T> {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: WindowedRows<T>
  readonly rowHeight: number
  /** The accessible name of the button by which a row is looked at; it stands in the main column. */
  readonly nameOf: (row: T) => string
  readonly main: string
  readonly selected: number | undefined
  readonly onSelect: (index: number | undefined) => void
  readonly rowTone?: (row: T) => string
}

/** A table of any length, of which only the rows in sight are in the document. */
export function WindowedTable<T>(props: WindowedTableProps<T>): ReactElement {
  const { label, columns, rowHeight, selected, onSelect } = props
  const { setScroller, scrollTo, height, items, total } = props.rows
  const style: CSSProperties & Record<`--${string}`, string> = {
    '--columns': widthsOf(columns, false),
    '--few-columns': widthsOf(columns, true),
  }
  const first = items.find(({ row }) => row !== undefined)?.index

  function move(to: number): void {
    const index = Math.min(Math.max(to, 0), total - 1)
    onSelect(index)
    scrollTo(index)
  }

  useKeys(label, [
    {
      keys: ['j', 'arrowdown'],
      label: 'Next row',
      run: () => {
        move(selected === undefined ? (first ?? 0) : selected + 1)
      },
    },
    {
      keys: ['k', 'arrowup'],
      label: 'Previous row',
      run: () => {
        move(selected === undefined ? (first ?? 0) : selected - 1)
      },
    },
    {
      keys: ['escape'],
      label: 'Close what is open',
      run: () => {
        onSelect(undefined)
      },
    },
  ])

  return (
    <div
      role="table"
      aria-label={label}
      aria-rowcount={total + 1}
      ref={setScroller}
      className={css.table}
      style={style}
    >
      <div role="rowgroup" className={css.head}>
        <div role="row" aria-rowindex={1} className={css.header}>
          {columns.map(({ name, heading, isNumber, isMinor }) => (
            <div role="columnheader" key={name} data-number={isNumber} data-minor={isMinor}>
              {heading}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={css.canvas} style={{ height }}>
        {items.map(({ index, top, row }) => (
          <Row
            key={index}
            {...props}
            {...{ index, top, row }}
            height={rowHeight}
            isTabStop={index === (selected ?? first)}
          />
        ))}
      </div>
    </div>
  )
}

function Row<T>(
  props: WindowedTableProps<T> & {
    index: number
    top: number
    height: number
    row: T | undefined
    isTabStop: boolean
  },
): ReactElement {
  const { columns, index, top, height, row, selected, onSelect, nameOf, main } = props
  const isSelected = index === selected
  const toggle = (): void => {
    onSelect(isSelected ? undefined : index)
  }
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={css.row}
      data-selected={isSelected || undefined}
      data-tone={row === undefined ? undefined : props.rowTone?.(row)}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      {row === undefined ? (
        <div role="cell" className={css.coming} aria-label="On its way" />
      ) : (
        columns.map(({ name, cell, isNumber, isMinor }) => (
          <div role="cell" key={name} data-number={isNumber} data-minor={isMinor}>
            {name === main ? (
              <button
                type="button"
                className={css.open}
                aria-expanded={isSelected}
                aria-label={nameOf(row)}
                tabIndex={props.isTabStop ? 0 : -1}
                onClick={toggle}
              >
                {cell(row)}
              </button>
            ) : (
              cell(row)
            )}
          </div>
        ))
      )}
    </div>
  )
}

function widthsOf<T>(columns: readonly Column<T>[], isFew: boolean): string {
  return columns
    .filter(({ isMinor }) => !isFew || isMinor !== true)
    .map(({ width }) => width)
    .join(' ')
}
