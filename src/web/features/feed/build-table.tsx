import { memo, type ReactElement, type ReactNode, type RefObject } from 'react'
import type { FeedRow } from '../../data/live/feed-state.ts'
import { BuildIdCell, isRowClick } from '../../domain/build-table/build-id-cell.tsx'
import { durationText } from '../../ui/format.ts'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { useVirtualRows } from '../../ui/virtual-rows.ts'
import css from './build-table.module.css'
import { outcomeOf } from './filter.ts'
import type { RowMatch } from './followed-rows.ts'
import type { RowList } from './use-feed-list.ts'

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
  const { items, height: canvas } = useVirtualRows({
    count: rows.count,
    rowHeight: height,
    scroller,
    current: selectedIndex,
  })
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
        <div className={css.canvas} style={{ height: canvas }}>
          {items.map(({ index, top }) => {
            const arrival = rows.arrivalAt(index)
            const row = arrival === undefined ? undefined : props.row(arrival)
            return row === undefined ? null : (
              <BuildRow
                key={row.arrival}
                row={row}
                index={index}
                top={top}
                height={height}
                skew={props.skew}
                match={props.match?.(row)}
                isSelected={index === selectedIndex}
                isOpen={row.build.buildId === props.opened}
                isTabStop={index === tabStop}
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

/** A row of the feed as the table places it. */
interface BuildRowProps {
  readonly row: FeedRow
  /** Its place in the whole list, from 0. */
  readonly index: number
  readonly top: number
  readonly height: number
  readonly skew: number
  /** How it stands to the query that is followed, if one is. */
  readonly match: RowMatch | undefined
  readonly isOpen: boolean
  readonly isSelected: boolean
  readonly isTabStop: boolean
  readonly onSelect: (arrival: number) => void
  readonly onOpen: (row: FeedRow) => void
}

/** One build: a line of the table, or a card where there is little room. */
function BuildRow(props: BuildRowProps): ReactElement {
  const { row, index, top, height, skew, match, isOpen, isSelected } = props

  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-current={isOpen ? 'true' : undefined}
      className={css.row}
      data-build-id={row.build.buildId}
      data-outcome={outcomeOf(row)}
      data-selected={isSelected || undefined}
      data-waiting={row.facts === undefined || undefined}
      data-match={match}
      style={{ height, transform: `translateY(${top}px)` }}
      onClick={(event) => {
        if (isRowClick(event)) props.onOpen(row)
      }}
    >
      <BuildCells row={row} skew={skew} match={match} />
      <BuildIdCell
        buildId={row.build.buildId}
        place={row.arrival}
        className={css.id}
        isCurrent={isSelected}
        isTabStop={props.isTabStop}
        onCurrent={props.onSelect}
      />
    </div>
  )
}

/** Rendered once for each build, though its row is pushed down by every new one. */
const BuildCells = memo(function BuildCells({
  row,
  skew,
  match,
}: Pick<BuildRowProps, 'row' | 'skew' | 'match'>): ReactElement {
  return (
    <>
      {buildColumns.map(({ name, cell }) => (
        <div role="cell" key={name} className={css[name]}>
          {name === 'requested' && <MatchMark match={match} />}
          {name === 'requested' && match === 'waiting' ? null : cell(row, skew)}
        </div>
      ))}
    </>
  )
})

/** A column of the feed; its name is also its class in build-table.module.css. */
interface BuildColumn {
  readonly name: string
  readonly heading: string
  /** `skew` is what to add to this browser's clock to get the one that stamps builds, ms. */
  readonly cell: (row: FeedRow, skew: number) => ReactNode
}

/** What is known of a build at a glance, in the order of reading; the build's id comes last. */
const buildColumns: readonly BuildColumn[] = [
  { name: 'outcome', heading: 'Outcome', cell: (row) => <OutcomeMark row={row} /> },
  {
    name: 'project',
    heading: 'Project',
    cell: ({ facts }) => facts?.project ?? (facts === undefined ? 'loading details' : nothing),
  },
  {
    name: 'requested',
    heading: 'Requested',
    cell: ({ facts }) => textOf(facts?.requested?.join(' ')),
  },
  { name: 'branch', heading: 'Branch', cell: (row) => textOf(branchOf(row)) },
  { name: 'user', heading: 'User and host', cell: (row) => textOf(userAndHostOf(row)) },
  { name: 'tags', heading: 'Tags', cell: ({ facts }) => textOf(facts?.tags?.join(' ')) },
  {
    name: 'duration',
    heading: 'Duration',
    cell: ({ facts }) => {
      const duration = facts?.durationMs ?? undefined
      return duration === undefined ? nothing : durationText(duration)
    },
  },
  {
    name: 'tool',
    heading: 'Tool',
    cell: ({ build }) => textOf(`${build.toolType} ${build.toolVersion}`),
  },
  {
    name: 'agent',
    heading: 'Agent',
    cell: ({ build }) => textOf(build.agentVersion),
  },
  {
    name: 'received',
    heading: 'Received',
    cell: ({ build }, skew) => <RelativeTime at={build.timestamp} skew={skew} />,
  },
]

/** The outcome of a row as colour, shape and word. */
export function OutcomeMark({ row }: { row: FeedRow }): ReactElement {
  const outcome = outcomeOf(row)
  switch (outcome) {
    case 'succeeded':
      return <StatusMark tone="good" word={outcome} />
    case 'failed':
      return <StatusMark tone="bad" word={outcome} />
    case 'unknown':
      return <StatusMark tone={row.facts === undefined ? 'waiting' : 'none'} word={outcome} />
  }
}

/** The branch that was built, as the custom value "Git branch" says it. */
export function branchOf({ facts }: FeedRow): string | undefined {
  return facts?.values?.find(({ name }) => name.toLowerCase() === 'git branch')?.value
}

/** "alice@agent-12", or what of it is known. */
export function userAndHostOf({ facts }: FeedRow): string | undefined {
  const known = [facts?.user, facts?.hostname].filter((part) => (part ?? '') !== '')
  return known.length === 0 ? undefined : known.join('@')
}

/** A dash for the eye; a screen reader passes over it. */
const nothing = <span aria-hidden="true">–</span>

function textOf(text: string | undefined): ReactNode {
  return text === undefined || text === '' ? nothing : <span title={text}>{text}</span>
}

/** Why a row is listed that is not known to match the query that is followed. */
function MatchMark({ match }: { match: RowMatch | undefined }): ReactElement | null {
  if (match === undefined || match === 'yes') return null
  const { tone, word } = marks[match]
  return (
    <span className={css.mark}>
      <StatusMark tone={tone} word={word} />
    </span>
  )
}

const marks: Record<
  Exclude<RowMatch, 'yes'>,
  { readonly tone: StatusTone; readonly word: string }
> = {
  waiting: { tone: 'waiting', word: 'match pending' },
  untold: { tone: 'none', word: 'match unknown' },
  // Only while the list is held still: it leaves when the list goes on.
  no: { tone: 'none', word: 'does not match' },
}
