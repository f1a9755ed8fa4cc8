import { useMediaQuery } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type ReactElement,
  type ReactNode,
  useCallback,
  useEffect,
  useState,
} from 'react'
import { CloseButton, Group, Stack } from '@mantine/core'
import type { Window } from '../../data/build/build-event-messages.ts'
import { useKeys } from '../../ui/keys.tsx'
import layout from '../../ui/page.module.css'
import css from './tables.module.css'
import { CopyButton } from '../../ui/copy.tsx'

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
  const { setScroller, scrollTo, height, items, total, isPending } = props.rows
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
      label: 'Close',
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
      className={`${layout.box} ${css.table}`}
      style={style}
      data-waits={isPending || undefined}
    >
      <div role="rowgroup" className={css.head}>
        <div role="row" aria-rowindex={1} className={css.header}>
          {columns.map(({ name, heading, isNumber, isMinor }) => (
            <div
              role="columnheader"
              key={name}
              title={heading}
              data-number={isNumber}
              data-minor={isMinor}
            >
              {heading}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" style={{ position: 'relative', height }}>
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
        <div role="cell" className={css.coming} aria-label="Loading" />
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

/** A stretch of a list, and how long the whole is. */
export interface Stretch<T> {
  readonly total: number
  readonly rows: readonly T[]
}

/** A long list of which the rows in sight are there. */
interface WindowedRows<T> {
  /** Told the element that scrolls, while there is one. */
  readonly setScroller: (element: HTMLDivElement | null) => void
  readonly total: number
  /** Whether nothing has been answered yet. */
  readonly isPending: boolean
  /** The height of the whole list, px. */
  readonly height: number
  /** What is in sight; a row that is still on its way is undefined. */
  readonly items: readonly {
    readonly index: number
    readonly top: number
    readonly row: T | undefined
  }[]
  readonly rowAt: (index: number) => T | undefined
  readonly scrollTo: (index: number) => void
}

/** What the rows of an answer are. */
type RowOf<A extends Stretch<unknown>> = A['rows'][number]

/** What of the scrolling element lies above the rows, px: the heads of the columns. */
const headHeight = 28

/** Rows are queried in stretches that begin at multiples of this. */
const step = 50

/**
 * Rows of a list that lives elsewhere, queried as they come into sight. `key` identifies the list, and changes when its content does; while a new answer is on its way the old rows stay.
 */
export function useWindow<A extends Stretch<unknown>>(
  key: readonly unknown[] | undefined,
  query: (window: Window) => Promise<A>,
  rowHeight: number,
): WindowedRows<RowOf<A>> & { readonly answer: A | undefined } {
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const [wanted, setWanted] = useState<Window>({ from: 0, count: 2 * step })
  const { data, isPending } = useQuery({
    queryKey: ['build-window', ...(key ?? []), wanted],
    queryFn: async () => ({ from: wanted.from, answer: await query(wanted) }),
    enabled: key !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 10_000,
    retry: false,
  })
  const total = data?.answer.total ?? 0
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
    onChange: ({ range }) => {
      if (range === null) return
      const from = Math.max(0, Math.floor((range.startIndex - step / 2) / step) * step)
      const count = Math.ceil((range.endIndex + step / 2 - from) / step) * step
      setWanted((now) => (now.from === from && now.count === count ? now : { from, count }))
    },
  })
  useEffect(() => {
    virtualizer.measure()
  }, [virtualizer, rowHeight])

  const rowAt = useCallback(
    (index: number): RowOf<A> | undefined => data?.answer.rows[index - data.from],
    [data],
  )
  return {
    setScroller,
    total,
    isPending,
    answer: data?.answer,
    height: virtualizer.getTotalSize(),
    rowAt,
    items: virtualizer
      .getVirtualItems()
      .map(({ index, start }) => ({ index, top: start - headHeight, row: rowAt(index) })),
    scrollTo: (index) => {
      virtualizer.scrollToIndex(index)
    },
  }
}

/** The height of a row, px: with a name of two lines, for fingers, or for a pointer. */
export function useRowHeight(): number {
  const isNarrow = useMediaQuery('(max-width: 699px)', false, { getInitialValueInEffect: false })
  const isTouched = useMediaQuery('(pointer: coarse)', false, { getInitialValueInEffect: false })
  return isNarrow ? 46 : isTouched ? 44 : 28
}

/** All about the row of a table that is selected, over its end. */
export function DetailsPanel({
  label,
  title,
  copy,
  onClose,
  children,
}: {
  label: string
  title: string
  /** The text to copy, and what it is. */
  copy: readonly [text: string, what: string]
  onClose: () => void
  children: ReactNode
}): ReactElement {
  return (
    <Stack
      component="section"
      className={`${layout.box} ${css.details}`}
      gap={8}
      p={12}
      aria-label={label}
    >
      <Group component="h2" gap={0} m={0} wrap="nowrap" ff="monospace" fz="sm">
        {title}
        <CopyButton text={copy[0]} what={copy[1]} />
        <CloseButton
          aria-label="Close details"
          ml="auto"
          pos="sticky"
          top={0}
          right={0}
          onClick={onClose}
        />
      </Group>
      {children}
    </Stack>
  )
}
