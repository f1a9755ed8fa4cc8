import {
  type CSSProperties,
  memo,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import { Link } from 'react-router'
import { CopyButton } from '../../ui/copy.tsx'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { IdText, VisuallyHidden } from '../../ui/text.tsx'
import { useVirtualRows } from '../../ui/virtual-rows.ts'
import {
  type BuildSort,
  buildCell,
  columnMeaning,
  isWhole,
  leastOf,
  type ShownColumn,
  type TableBuild,
  type Verdict,
} from './build-columns.tsx'
import type { ColumnEdges } from './column-edge.tsx'
import css from './build-table.module.css'

/** What the table shows, and whom it notifies. Rows are named by their place: see `placeOf`. */
export interface BuildTableProps extends RowCommands {
  readonly label: string
  readonly columns: readonly TableColumn[]
  readonly count: number
  /** The build in a row of the list, from 0; the same object until something of it changes. */
  readonly buildAt: (index: number) => TableBuild | undefined
  /** What stays the name of a row while others come in above it; its index by default. */
  readonly placeOf?: (index: number) => number
  /** The height of a row, px. */
  readonly height: number
  readonly scroller: RefObject<HTMLDivElement | null>
  /** The index of the row that keys act on. */
  readonly current: number | undefined
  /** The id of the build whose details are open. */
  readonly opened: string | undefined
  /** Nothing newer can be had at the moment: the rows are gray. */
  readonly isOutdated?: boolean
  /** The rows are about to be replaced. */
  readonly isStale?: boolean
  readonly onScroll: (scroller: HTMLElement) => void
  /** Lets the columns be resized by their edges, which the live feed doesn't load. */
  readonly onColumns?: (columns: readonly ShownColumn[]) => void
  readonly edges?: ColumnEdges
  /** The order of the rows, where it is by a column; with `onSort` it can be chosen. */
  readonly sort?: BuildSort | undefined
  readonly onSort?: ((column: string) => void) | undefined
  /** Builds can be selected, and these are. */
  readonly selected?: ReadonlySet<string>
}

/** A column, its width in px, and where it needs room: the width of the table from which it is shown. */
export interface TableColumn extends ShownColumn {
  readonly from?: 800 | 1000 | 1400 | 1800
}

/** What rows notify; the same functions as long as the table lives. */
export interface RowCommands {
  /** The row has become the one that keys act on. */
  readonly onCurrent: (place: number) => void
  readonly onOpen: (place: number) => void
  /** Selected, or no more; with `isRange` all from the one before. */
  readonly onSelect?: ((buildId: string, isRange: boolean) => void) | undefined
}

/** The height of the heads of the columns, px; they scroll sideways with the rows. */
export const headHeight = 28

/**
 * Builds as rows, or as cards where there is little room; only those in sight are in the document.
 * Rows are plain elements, and their cells render again only when their build changed: the live feed
 * moves them all several times a second.
 */
export function BuildTable(props: BuildTableProps): ReactElement {
  const { count, height, scroller, current, selected, placeOf = same } = props
  const [columns, setWidth] = useColumnWidths(props)
  const { items, height: canvas } = useVirtualRows({
    count,
    rowHeight: height,
    scroller,
    current,
    head: headHeight,
  })
  const tabStop = current ?? items[0]?.index
  const style: CSSProperties & Record<`--${string}`, string> = {
    '--least': `${leastWidth(columns)}px`,
  }
  return (
    <div
      role="table"
      aria-label={props.label}
      aria-rowcount={count + 1}
      aria-busy={props.isStale}
      data-outdated={props.isOutdated}
      className={css.table}
      ref={scroller}
      style={style}
      onScroll={({ currentTarget }) => {
        props.onScroll(currentTarget)
      }}
    >
      <div role="rowgroup" className={css.head}>
        <div role="row" aria-rowindex={1} className={css.header}>
          {selected !== undefined && (
            <div role="columnheader" className={css.select}>
              <VisuallyHidden>Selected</VisuallyHidden>
            </div>
          )}
          {columns.map((column) => (
            <Heading
              key={column.name}
              column={column}
              sort={props.sort?.column === column.name ? props.sort : undefined}
              onSort={props.onSort}
              Edge={props.onColumns && props.edges?.ColumnEdge}
              onWidth={setWidth}
            />
          ))}
          <div role="columnheader" className={css.id}>
            Build
          </div>
        </div>
      </div>
      <div role="rowgroup" className={css.canvas} style={{ height: canvas }}>
        {items.map(({ index, top }) => {
          const build = props.buildAt(index)
          return build === undefined ? null : (
            <Row
              key={build.facts.buildId}
              build={build}
              columns={columns}
              index={index}
              place={placeOf(index)}
              top={top}
              height={height}
              isCurrent={index === current}
              isSelected={selected?.has(build.facts.buildId)}
              isOpen={build.facts.buildId === props.opened}
              isTabStop={index === tabStop}
              onCurrent={props.onCurrent}
              onOpen={props.onOpen}
              onSelect={props.onSelect}
            />
          )
        })}
      </div>
    </div>
  )
}

/** The columns while one is being drawn: its widths are kept once it is let go. */
function useColumnWidths({
  columns,
  onColumns,
  edges,
  scroller,
}: BuildTableProps): readonly [
  readonly TableColumn[],
  (name: string, width: number, isDone: boolean) => void,
] {
  const [drawn, setDrawn] = useState<readonly ShownColumn[]>()
  const setWidth = useCallback(
    (name: string, width: number, isDone: boolean) => {
      // The others stay as they are: only then does the edge follow the pointer.
      if (edges === undefined) return
      const next = edges.widthsOf(drawn ?? columns, scroller.current, { name, width })
      setDrawn(isDone ? undefined : next)
      if (isDone) onColumns?.(next)
    },
    [drawn, columns, scroller, onColumns, edges],
  )
  return [drawn ?? columns, setWidth]
}

function same(index: number): number {
  return index
}

/** As in the style sheet: the gap between cells, and the cells for a box and the id with the row's padding, px. */
const [gap, others] = [12, 14 + 2 * 12 + 112 + 2 * 12]

/** What the columns need before they have to be scrolled, px; those that may be hidden need nothing. */
function leastWidth(columns: readonly TableColumn[]): number {
  return columns.reduce(
    (sum, column) => (column.from === undefined ? sum + leastOf(column) + gap : sum),
    others,
  )
}

/** All rows have the same cells, so that those of a column come out equally wide in each. */
function boxOf(column: ShownColumn): CSSProperties {
  if (column.isFixed === true) return { flex: `0 0 ${column.width}px` }
  const flex = `${column.width} 0 ${leastOf(column)}px`
  // What is a word or a number is as wide as that: the room is for texts.
  return isWhole(column.name) ? { flex, maxWidth: column.width } : { flex }
}

/** The head of a column: a click sorts by it, and its right edge sets the width. */
const Heading = memo(function Heading({
  column,
  sort,
  onSort,
  Edge,
  onWidth,
}: {
  column: TableColumn
  /** Undefined where the list isn't sorted by it. */
  sort: BuildSort | undefined
  onSort: BuildTableProps['onSort']
  Edge: ColumnEdges['ColumnEdge'] | undefined
  onWidth: (name: string, width: number, isDone: boolean) => void
}): ReactElement {
  const { name, from } = column
  const { heading, isNumber } = columnMeaning(name)
  const sign = sort === undefined ? '' : sort.isDescending ? ' ↓' : ' ↑'
  return (
    <div
      role="columnheader"
      data-head={name}
      data-number={isNumber}
      data-from={from}
      aria-sort={sort === undefined ? undefined : sort.isDescending ? 'descending' : 'ascending'}
      title={heading}
      style={boxOf(column)}
    >
      {onSort === undefined ? (
        heading
      ) : (
        <button
          type="button"
          className={css.sort}
          title={`Sort by ${heading}`}
          onClick={() => {
            onSort(name)
          }}
        >
          {heading}
          {sign !== '' && <span aria-hidden="true">{sign}</span>}
        </button>
      )}
      {Edge !== undefined && <Edge column={column} onWidth={onWidth} />}
    </div>
  )
})

interface RowProps extends RowCommands {
  readonly build: TableBuild
  readonly columns: readonly TableColumn[]
  /** Its place in the whole list, from 0. */
  readonly index: number
  readonly place: number
  readonly top: number
  readonly height: number
  readonly isCurrent: boolean
  /** Undefined where nothing can be selected. */
  readonly isSelected: boolean | undefined
  readonly isOpen: boolean
  /** Whether the Tab key stops here: at one row of the list only. */
  readonly isTabStop: boolean
}

const Row = memo(function Row(props: RowProps): ReactElement {
  const { build, columns, index, place, top, height, isOpen, isSelected, isTabStop, onSelect } =
    props
  const { facts, verdict } = build
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-current={isOpen ? 'true' : undefined}
      className={css.row}
      data-build-id={facts.buildId}
      data-outcome={facts.outcome ?? 'unknown'}
      data-match={verdict}
      data-current={props.isCurrent || undefined}
      data-pending={build.isPending}
      style={{ height, transform: `translateY(${top}px)` }}
      onClick={(event) => {
        if (isRowClick(event)) props.onOpen(place)
      }}
    >
      {isSelected !== undefined && (
        <div role="cell" className={css.select}>
          {/* A finger needs more than the box. */}
          <label>
            <input
              type="checkbox"
              checked={isSelected}
              tabIndex={isTabStop ? 0 : -1}
              aria-label={`Select build ${facts.buildId}`}
              // Only a click has the Shift key, not a change.
              onClick={(event) => {
                onSelect?.(facts.buildId, event.shiftKey)
              }}
              onChange={() => undefined}
            />
          </label>
        </div>
      )}
      <Cells build={build} columns={columns} />
      <IdCell
        buildId={facts.buildId}
        place={place}
        isCurrent={props.isCurrent}
        isTabStop={isTabStop}
        onCurrent={props.onCurrent}
      />
    </div>
  )
})

/** Whether a click on a row is meant for the row: not for a control in it, nor to select text. */
function isRowClick({ target }: MouseEvent): boolean {
  const isControl = target instanceof Element && target.closest('a, button, label') !== null
  return !isControl && getSelection()?.isCollapsed !== false
}

/** Rendered once for each build, though its row is pushed down by every new one. */
const Cells = memo(function Cells({
  build,
  columns,
}: Pick<RowProps, 'build' | 'columns'>): ReactElement {
  // The widest column has room for a word; it stays empty where that is all there is to show.
  const marked = columns.some(({ name }) => name === 'requested') ? 'requested' : columns[0]?.name
  return (
    <>
      {columns.map((column) => {
        const { name, from } = column
        const { heading, isNumber } = columnMeaning(name)
        return (
          <div
            role="cell"
            key={name}
            data-column={name}
            data-number={isNumber}
            data-heading={heading}
            data-from={from}
            style={boxOf(column)}
          >
            {name === marked && <MatchMark verdict={build.verdict} />}
            {name === marked && build.verdict === 'waiting' ? null : buildCell(name, build)}
          </div>
        )
      })}
    </>
  )
})

/** Why a row is listed that is not known to match the query. */
function MatchMark({ verdict = 'yes' }: { verdict: Verdict | undefined }): ReactNode {
  if (verdict === 'yes') return null
  return (
    <span className={css.mark}>
      <StatusMark {...marks[verdict]} />
    </span>
  )
}

const marks: Record<
  Exclude<Verdict, 'yes'>,
  { readonly tone: StatusTone; readonly word: string }
> = {
  waiting: { tone: 'waiting', word: 'match pending' },
  unknown: { tone: 'none', word: 'match unknown' },
  // Only while the list is held still: it leaves when the list goes on.
  no: { tone: 'none', word: "doesn't match" },
}

/** The last cell of a row: the link to the page of its build, which has the focus of the row, and its id to copy. */
const IdCell = memo(function IdCell({
  buildId,
  place,
  isCurrent,
  isTabStop,
  onCurrent,
}: Pick<RowProps, 'place' | 'isCurrent' | 'isTabStop' | 'onCurrent'> & {
  readonly buildId: string
}): ReactElement {
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isCurrent) link.current?.focus({ preventScroll: true })
  }, [isCurrent])
  const tabIndex = isTabStop ? 0 : -1
  return (
    <div role="cell" className={css.id}>
      <Link
        ref={link}
        to={`/builds/${buildId}`}
        tabIndex={tabIndex}
        aria-label={`Build ${buildId}`}
        onFocus={() => {
          onCurrent(place)
        }}
      >
        <IdText id={buildId} />
      </Link>
      <CopyButton text={buildId} what={`build id ${buildId}`} tabIndex={tabIndex} />
    </div>
  )
})
