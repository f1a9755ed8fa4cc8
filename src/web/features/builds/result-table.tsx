import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type PointerEvent,
  type ReactElement,
  type RefObject,
  useCallback,
  useEffect,
} from 'react'
import type { FoundBuild } from '../../data/builds/build-search.ts'
import { columnMeaning } from './column-meaning.ts'
import { resizedColumn, type ShownColumn } from './column-choice.ts'
import { ResultRow, type RowCommands } from './result-row.tsx'
import css from './result-table.module.css'
import { VisuallyHidden } from '../../ui/text.tsx'

/** What the table shows and tells. */
export interface ResultTableProps extends RowCommands {
  readonly label: string
  readonly found: readonly FoundBuild[]
  readonly columns: readonly ShownColumn[]
  readonly onColumns: (columns: readonly ShownColumn[]) => void
  /** The height of a row, px. */
  readonly height: number
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly current: number | undefined
  readonly chosen: ReadonlySet<string>
  /** The id of the build whose details are open. */
  readonly opened: string | undefined
  readonly isStale: boolean
  /** Told when the last rows come into sight. */
  readonly onNearEnd: () => void
}

/** Columns shrink to this share of their width before they have to be scrolled. */
const leastShare = 0.6

/** The height of the heads of the columns, px; they scroll sideways with the rows. */
export const headHeight = 28

/** The builds that were found; only the rows in sight are in the document. */
export function ResultTable(props: ResultTableProps): ReactElement {
  const { found, columns, height, scroller, current } = props
  // The current row stays in the document wherever the list is scrolled to: it has the focus.
  const rangeExtractor = useCallback(
    (range: Range) => {
      const inSight = defaultRangeExtractor(range)
      return current === undefined || current >= range.count || inSight.includes(current)
        ? inSight
        : [...inSight, current].sort((a, b) => a - b)
    },
    [current],
  )
  const virtualizer = useVirtualizer({
    count: found.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
    scrollMargin: headHeight,
    rangeExtractor,
  })
  useEffect(() => {
    virtualizer.measure()
  }, [virtualizer, height])

  const items = virtualizer.getVirtualItems()
  const style: CSSProperties & Record<`--${string}`, string> = {
    '--columns': columns
      .map(({ width }) => `minmax(${Math.round(width * leastShare)}px, ${width}fr)`)
      .join(' '),
  }
  return (
    <div
      role="table"
      aria-label={props.label}
      aria-rowcount={found.length + 1}
      aria-busy={props.isStale}
      className={css.table}
      ref={scroller}
      style={style}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        if (scrollTop + clientHeight > scrollHeight - 12 * height) props.onNearEnd()
      }}
    >
      <div role="rowgroup" className={css.head}>
        <div role="row" aria-rowindex={1} className={css.header}>
          <div role="columnheader">
            <VisuallyHidden>Chosen</VisuallyHidden>
          </div>
          {columns.map((column) => (
            <Heading key={column.name} column={column} {...props} />
          ))}
          <div role="columnheader">Build</div>
        </div>
      </div>
      <div role="rowgroup" className={css.canvas} style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const build = found[index]
          return build === undefined ? null : (
            <ResultRow
              key={build.facts.buildId}
              found={build}
              columns={columns}
              index={index}
              top={start - headHeight}
              height={height}
              isCurrent={index === current}
              isChosen={props.chosen.has(build.facts.buildId)}
              isOpen={build.facts.buildId === props.opened}
              isTabStop={index === (current ?? items[0]?.index)}
              onCurrent={props.onCurrent}
              onChoose={props.onChoose}
              onLook={props.onLook}
            />
          )
        })}
      </div>
    </div>
  )
}

/** The head of a column; its right edge can be drawn. By keyboard its width is in the column menu. */
function Heading({
  column: { name },
  columns,
  onColumns,
}: { column: ShownColumn } & Pick<ResultTableProps, 'columns' | 'onColumns'>): ReactElement {
  const { heading, isNumber } = columnMeaning(name)

  function draw(event: PointerEvent<HTMLSpanElement>): void {
    const edge = event.currentTarget
    if (!edge.hasPointerCapture(event.pointerId)) return
    const left = edge.parentElement?.getBoundingClientRect().left ?? 0
    onColumns(resizedColumn(columns, name, event.clientX - left))
  }

  return (
    <div role="columnheader" data-number={isNumber} title={heading}>
      {heading}
      <span
        className={css.edge}
        aria-hidden="true"
        onPointerDown={(event) => {
          event.preventDefault()
          event.currentTarget.setPointerCapture(event.pointerId)
        }}
        onPointerMove={draw}
      />
    </div>
  )
}
