import { memo, type MouseEvent, type ReactElement, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import type { FeedRow } from '../../data/live/feed-snapshot.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { IdText } from '../../ui/text.tsx'
import { buildColumns } from './build-columns.tsx'
import css from './build-table.module.css'
import { outcomeOf } from './facets.ts'
import { MatchMark } from './match-mark.tsx'
import type { RowMatch } from './row-match.ts'

/** A row of the feed as the table places it. */
interface BuildRowProps extends BuildLinkProps {
  readonly row: FeedRow
  /** Its place in the whole list, from 0. */
  readonly index: number
  readonly top: number
  readonly height: number
  readonly skew: number
  /** How it stands to the query that is followed, if one is. */
  readonly match: RowMatch | undefined
  readonly isOpen: boolean
  readonly onOpen: (row: FeedRow) => void
}

/** One build: a line of the table, or a card where there is little room. */
export function BuildRow(props: BuildRowProps): ReactElement {
  const { row, index, top, height, skew, match, isOpen, onOpen, ...link } = props

  function openUnlessSelectingText(event: MouseEvent): void {
    const isControl = event.target instanceof Element && event.target.closest('a, button') !== null
    if (!isControl && getSelection()?.isCollapsed !== false) onOpen(row)
  }

  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-current={isOpen ? 'true' : undefined}
      className={css.row}
      data-build-id={row.build.buildId}
      data-outcome={outcomeOf(row)}
      data-selected={link.isSelected || undefined}
      data-waiting={row.facts === undefined || undefined}
      data-match={match}
      style={{ height, transform: `translateY(${top}px)` }}
      onClick={openUnlessSelectingText}
    >
      <BuildCells row={row} skew={skew} match={match} />
      <BuildLink {...link} />
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

interface BuildLinkProps {
  readonly buildId: string
  readonly arrival: number
  readonly isSelected: boolean
  /** Whether the Tab key stops here: at one row of the list only. */
  readonly isTabStop: boolean
  readonly onSelect: (arrival: number) => void
}

const BuildLink = memo(function BuildLink(props: BuildLinkProps): ReactElement {
  const { buildId, arrival, isSelected, isTabStop, onSelect } = props
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isSelected) link.current?.focus({ preventScroll: true })
  }, [isSelected])
  return (
    <div role="cell" className={css.id}>
      <Link
        ref={link}
        to={`/builds/${buildId}`}
        tabIndex={isTabStop ? 0 : -1}
        aria-label={`Build ${buildId}`}
        onFocus={() => {
          onSelect(arrival)
        }}
      >
        <IdText id={buildId} />
      </Link>
      <CopyButton text={buildId} what={`build id ${buildId}`} tabIndex={isTabStop ? 0 : -1} />
    </div>
  )
})
