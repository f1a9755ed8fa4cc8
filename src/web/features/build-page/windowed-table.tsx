import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type ReactElement,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { CloseButton, Group, Stack } from '@mantine/core'
import type { Stretch, Window } from '../../data/build/build-event-messages.ts'
import { stepKeys, useKeys } from '../../ui/keys.tsx'
import layout from '../../ui/page.module.css'
import type { ChangeAddress } from './build-address.ts'
import css from './tables.module.css'
import type { TabProps } from './use-knowledge.ts'
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
  /** The accessible name of the button by which a row is looked at; it stands in the main column. */
  readonly nameOf: (row: T) => string
  readonly main: string
  readonly rowTone?: (row: T) => string
}

/** A table of any length, of which only the rows in sight are in the document. */
export function WindowedTable<T>(props: WindowedTableProps<T>): ReactElement {
  const { label, columns, rows } = props
  const { setScroller, height, items, isPending, total, selected, move, close } = rows
  const style: CSSProperties & Record<`--${string}`, string> = {
    '--columns': widthsOf(columns, false),
    '--few-columns': widthsOf(columns, true),
  }
  const first = items.find(({ row }) => row !== undefined)?.index

  useKeys(label, [...stepKeys('row', move), { keys: ['escape'], label: 'Close', run: close }])

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
            height={rows.rowHeight}
            isTabStop={index === (selected?.index ?? first)}
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
  const { columns, index, top, height, row, rows, nameOf, main } = props
  const isSelected = index === rows.selected?.index
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
                onClick={() => {
                  if (isSelected) rows.close()
                  else rows.open(row)
                }}
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

/** A long list of which the rows in sight are there. */
interface WindowedRows<T> {
  /** Told the element that scrolls, while there is one. */
  readonly setScroller: (element: HTMLDivElement | null) => void
  readonly total: number
  /** Whether nothing has been answered yet. */
  readonly isPending: boolean
  /** The heights of a row and of the whole list, px. */
  readonly rowHeight: number
  readonly height: number
  /** What is in sight; a row that is still on its way is undefined. */
  readonly items: readonly {
    readonly index: number
    readonly top: number
    readonly row: T | undefined
  }[]
  /** The row that is open, where it stands now; undefined where none is, or it isn't listed. */
  readonly selected: { readonly index: number; readonly row: T } | undefined
  readonly open: (row: T) => void
  /** Opens the row so many rows further, or the first in sight where none is open. */
  readonly move: (by: number) => void
  readonly close: () => void
}

/** Which row of a list is open, by its key: the list changes while more arrives. */
export interface OpenedRow {
  readonly key: string | undefined
  readonly onChange: (key: string | undefined) => void
  /**
   * Where it is scrolled to, if it is out of sight. One that a link opens is, once what is above the list
   * is there, and to the middle, as that may still grow a little.
   */
  readonly scroll: 'nearest' | 'center' | undefined
}

/** What of the scrolling element lies above the rows, px: the heads of the columns. */
const headHeight = 28

/** Rows are queried in stretches that begin at multiples of this. */
const step = 50

/**
 * Rows of a list that lives elsewhere, queried as they come into sight. `key` identifies the list, and
 * changes when its content does; while a new answer is on its way the old rows stay. The row that is
 * open stays open wherever it moves.
 */
export function useWindow<T, A extends Stretch<T>>({
  key,
  query,
  keyOf,
  opened,
}: {
  readonly key: readonly unknown[] | undefined
  readonly query: (window: Window) => Promise<A>
  readonly keyOf: (row: T) => string
  readonly opened: OpenedRow
}): WindowedRows<T> & { readonly answer: A | undefined } {
  const rowHeight = useRowHeight()
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const [wanted, setWanted] = useState<Window>({ from: 0, count: 2 * step })
  const settings = { enabled: key !== undefined, staleTime: Infinity, gcTime: 10_000, retry: false }
  const { data: answer, isPending } = useQuery({
    ...settings,
    queryKey: ['build-window', ...(key ?? []), wanted],
    queryFn: () => query(wanted),
    placeholderData: keepPreviousData,
  })
  const total = answer?.total ?? 0
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

  const rowAt = (index: number): T | undefined => answer?.rows[index - answer.from]
  const isOpen = opened.key !== undefined
  const near = isOpen ? (answer?.rows.findIndex((row) => keyOf(row) === opened.key) ?? -1) : -1
  const { data: far } = useQuery({
    ...settings,
    enabled: settings.enabled && isOpen && near === -1,
    queryKey: ['build-row', ...(key ?? []), opened.key],
    queryFn: () => query({ from: 0, count: 1, row: opened.key ?? '' }),
    placeholderData: (last, lastQuery) =>
      lastQuery?.queryKey.at(-1) === opened.key ? last : undefined,
  })
  const [list, at] = near === -1 ? [far, 0] : [answer, near]
  const row = list?.rows[at]
  const selected = row === undefined ? undefined : { index: (list?.from ?? 0) + at, row }

  // Each row that is opened is brought into sight once: by a key or a link it may be far away.
  const inSight = useRef<string>(undefined)
  useEffect(() => {
    if (!isOpen) inSight.current = undefined
    if (scroller === null || selected === undefined || inSight.current === opened.key) return
    if (opened.scroll === undefined) return
    const element = scroller.querySelector(`[aria-rowindex="${selected.index + 2}"]`)
    if (element === null) virtualizer.scrollToIndex(selected.index)
    else {
      inSight.current = opened.key
      element.scrollIntoView({ block: opened.scroll })
    }
  })

  const items = virtualizer
    .getVirtualItems()
    .map(({ index, start }) => ({ index, top: start - headHeight, row: rowAt(index) }))
  const open = (one: T | undefined): void => {
    if (one !== undefined) opened.onChange(keyOf(one))
  }
  return {
    setScroller,
    total,
    isPending,
    answer,
    rowHeight,
    height: virtualizer.getTotalSize(),
    items,
    selected,
    open,
    move: (by) => {
      const first = items.find((item) => item.row !== undefined)?.index ?? 0
      const wish = selected === undefined ? first : selected.index + by
      const index = Math.min(Math.max(wish, 0), total - 1)
      const here = rowAt(index)
      if (here !== undefined) open(here)
      else
        void query({ from: index, count: 1 }).then(
          ({ rows: [there] }) => {
            open(there)
          },
          () => undefined,
        )
    },
    close: () => {
      opened.onChange(undefined)
    },
  }
}

/** How soon the address names the row that is opened, ms: browsers refuse many changes of it at once. */
const addressAfter = 300

/**
 * The row that the page's address has opened, and `narrow`, which closes it with a change of what is
 * listed. The address follows a moment later, as a key that is held goes through many rows.
 */
export function useOpenedRow({
  address,
  change,
  knowledge,
}: TabProps): OpenedRow & { readonly narrow: ChangeAddress } {
  const [linked] = useState(address.row)
  const [key, setKey] = useState(address.row)
  const [known, setKnown] = useState(address.row)
  if (address.row !== known) {
    setKnown(address.row)
    setKey(address.row)
  }
  const write = useDebouncedCallback((row: string | undefined) => {
    change({ row }, true)
  }, addressAfter)
  return {
    key,
    scroll: key !== linked ? 'nearest' : knowledge.isComplete ? 'center' : undefined,
    onChange: (next) => {
      setKey(next)
      write(next)
    },
    narrow: (part, replace) => {
      write.cancel()
      setKey(undefined)
      change(
        (now) => ({ ...(typeof part === 'function' ? part(now) : part), row: undefined }),
        replace,
      )
    },
  }
}

/** The height of a row, px: with a name of two lines, for fingers, or for a pointer. */
function useRowHeight(): number {
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
  const panel = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = panel
    const height = `${current?.offsetHeight ?? 0}px`
    current?.closest('main')?.style.setProperty('--details-height', height)
  })
  return (
    <Stack
      component="section"
      ref={panel}
      className={`${layout.box} ${css.details}`}
      data-opened
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
