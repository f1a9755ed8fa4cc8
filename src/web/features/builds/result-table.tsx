import {
  type CSSProperties,
  memo,
  type PointerEvent,
  type ReactElement,
  type RefObject,
} from 'react'
import type { FoundBuild } from '../../data/builds/build-search.ts'
import { BuildIdCell, isRowClick } from '../../domain/build-table/build-id-cell.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { VisuallyHidden } from '../../ui/text.tsx'
import { useVirtualRows } from '../../ui/virtual-rows.ts'
import { buildCell, columnMeaning, resizedColumn, type ShownColumn } from './columns.tsx'
import css from './result-table.module.css'

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
  const { items, height: canvas } = useVirtualRows({
    count: found.length,
    rowHeight: height,
    scroller,
    current,
    head: headHeight,
  })
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
      <div role="rowgroup" className={css.canvas} style={{ height: canvas }}>
        {items.map(({ index, top }) => {
          const build = found[index]
          return build === undefined ? null : (
            <ResultRow
              key={build.facts.buildId}
              found={build}
              columns={columns}
              index={index}
              top={top}
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

/** What rows tell; the same functions as long as the table lives. */
export interface RowCommands {
  /** The row has become the one that keys act on. */
  readonly onCurrent: (index: number) => void
  /** Chosen, or chosen no more; with `isRange` all from the one before. */
  readonly onChoose: (buildId: string, isRange: boolean) => void
  readonly onLook: (index: number) => void
}

interface ResultRowProps extends RowCommands {
  readonly found: FoundBuild
  readonly columns: readonly ShownColumn[]
  /** Its place in the whole list, from 0. */
  readonly index: number
  readonly top: number
  readonly height: number
  readonly isCurrent: boolean
  readonly isChosen: boolean
  readonly isOpen: boolean
  /** Whether the Tab key stops here: at one row of the list only. */
  readonly isTabStop: boolean
}

/** One build that was found: a line of the table, or a card where there is little room. */
const ResultRow = memo(function ResultRow(props: ResultRowProps): ReactElement {
  const { found, columns, index, top, height, isOpen, isChosen, isTabStop, onChoose, onLook } =
    props
  const { facts, verdict } = found
  const { buildId } = facts

  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-current={isOpen ? 'true' : undefined}
      className={css.row}
      data-build-id={buildId}
      data-outcome={facts.outcome ?? 'unknown'}
      data-verdict={verdict}
      data-current={props.isCurrent || undefined}
      style={{ height, transform: `translateY(${top}px)` }}
      onClick={(event) => {
        if (isRowClick(event)) onLook(index)
      }}
    >
      <div role="cell" className={css.choose}>
        {/* A finger needs more than the box. */}
        <label>
          <input
            type="checkbox"
            checked={isChosen}
            tabIndex={isTabStop ? 0 : -1}
            aria-label={`Select build ${buildId}`}
            // A click tells of the Shift key, a change does not.
            onClick={(event) => {
              onChoose(buildId, event.shiftKey)
            }}
            onChange={() => undefined}
          />
        </label>
      </div>
      <Cells columns={columns} facts={facts} />
      <BuildIdCell
        buildId={buildId}
        place={index}
        className={css.id}
        isCurrent={props.isCurrent}
        isTabStop={isTabStop}
        onCurrent={props.onCurrent}
      >
        {verdict === 'unknown' && unknownMark}
      </BuildIdCell>
    </div>
  )
})

/** One element for all rows, so that it makes no cell render again. */
const unknownMark = (
  <span title="Unknown whether it matches: too few details so far">
    <StatusShape tone="waiting" />
    <VisuallyHidden>Unknown whether it matches</VisuallyHidden>
  </span>
)

const Cells = memo(function Cells({
  columns,
  facts,
}: Pick<ResultRowProps, 'columns'> & Pick<FoundBuild, 'facts'>): ReactElement {
  return (
    <>
      {columns.map(({ name }) => (
        <div
          role="cell"
          key={name}
          data-column={name}
          data-number={columnMeaning(name).isNumber}
          data-heading={columnMeaning(name).heading}
        >
          {buildCell(name, facts)}
        </div>
      ))}
    </>
  )
})
