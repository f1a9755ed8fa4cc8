import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { type ReactElement, type RefObject, useCallback, useEffect } from 'react'
import type { FeedRow } from '../../data/live/feed-snapshot.ts'
import { buildColumns } from './build-columns.tsx'
import { BuildRow } from './build-row.tsx'
import css from './build-table.module.css'
import type { RowList } from './row-list.ts'
import type { RowMatch } from './row-match.ts'

/** What the table shows and tells. */
export interface BuildTableProps {
  readonly rows: RowList
  /** The height of a row, px. */
  readonly height: number
  readonly row: (arrival: number) => FeedRow | undefined
  readonly skew: number
  /** How a row stands to the query that is followed, if one is. */
  readonly match: ((row: FeedRow) => RowMatch) | undefined
  readonly selected: number | undefined
  /** The id of the build whose details are open. */
  readonly opened: string | undefined
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly onSelect: (arrival: number) => void
  readonly onOpen: (row: FeedRow) => void
  /** Told at each scroll whether the newest row is out of sight. */
  readonly onScroll: (away: boolean) => void
}

/** The builds, newest first; only the rows in sight are in the document. */
export function BuildTable(props: BuildTableProps): ReactElement {
  const { rows, selected, scroller } = props
  const { height } = props
  const selectedIndex = selected === undefined ? undefined : rows.indexOf(selected)
  // The selected row stays in the document wherever the list is scrolled to: it has the focus.
  const rangeExtractor = useCallback(
    (range: Range) => {
      const inSight = defaultRangeExtractor(range)
      return selectedIndex === undefined || inSight.includes(selectedIndex)
        ? inSight
        : [...inSight, selectedIndex].sort((a, b) => a - b)
    },
    [selectedIndex],
  )
  const virtualizer = useVirtualizer({
    count: rows.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
    rangeExtractor,
  })
  useEffect(() => {
    virtualizer.measure()
  }, [virtualizer, height])

  const items = virtualizer.getVirtualItems()
  const tabStop = selectedIndex ?? items[0]?.index
  return (
    <div
      role="table"
      aria-label="Builds, newest first"
      aria-rowcount={rows.count + 1}
      className={css.table}
    >
      <div role="rowgroup" className={css.head}>
        <div role="row" aria-rowindex={1} className={css.header}>
          {buildColumns.map(({ name, heading }) => (
            <div role="columnheader" key={name} className={css[name]}>
              {heading}
            </div>
          ))}
          <div role="columnheader">Build</div>
        </div>
      </div>
      <div
        role="rowgroup"
        ref={scroller}
        className={css.scroller}
        onScroll={(event) => {
          props.onScroll(event.currentTarget.scrollTop > height / 2)
        }}
      >
        <div className={css.canvas} style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const arrival = rows.arrivalAt(index)
            const row = arrival === undefined ? undefined : props.row(arrival)
            return row === undefined ? null : (
              <BuildRow
                key={row.arrival}
                row={row}
                index={index}
                top={start}
                height={height}
                skew={props.skew}
                match={props.match?.(row)}
                isSelected={index === selectedIndex}
                isOpen={row.build.buildId === props.opened}
                isTabStop={index === tabStop}
                buildId={row.build.buildId}
                arrival={row.arrival}
                onSelect={props.onSelect}
                onOpen={props.onOpen}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}
