import { memo, type MouseEvent, type ReactElement, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import type { FeedRow } from '../../data/feed-snapshot.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { IdText } from '../../ui/id-text.tsx'
import { buildColumns } from './build-columns.tsx'
import { outcomeOf } from './facets.ts'
import css from './build-table.module.css'

/** A row of the feed as the table places it. */
export interface BuildRowProps {
  readonly row: FeedRow
  /** Its place in the whole list, from 0. */
  readonly index: number
  readonly top: number
  readonly height: number
  readonly skew: number
  readonly isSelected: boolean
  readonly isOpen: boolean
  /** Whether the Tab key stops here: at one row of the list only. */
  readonly isTabStop: boolean
  /** The query of the address that opens this build. */
  readonly address: string
  readonly onSelect: (arrival: number) => void
  readonly onOpen: (row: FeedRow) => void
}

/** One build: a line of the table, or a card where there is little room. */
export const BuildRow = memo(function BuildRow(props: BuildRowProps): ReactElement {
  const { row, index, top, height, skew, isSelected, isOpen, isTabStop, address } = props
  const { buildId } = row.build
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isSelected) link.current?.focus({ preventScroll: true })
  }, [isSelected])

  function openUnlessSelectingText(event: MouseEvent): void {
    const isControl = event.target instanceof Element && event.target.closest('a, button') !== null
    if (!isControl && getSelection()?.isCollapsed !== false) props.onOpen(row)
  }

  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-current={isOpen ? 'true' : undefined}
      className={css.row}
      data-build-id={buildId}
      data-outcome={outcomeOf(row)}
      data-selected={isSelected || undefined}
      data-waiting={row.facts === undefined || undefined}
      style={{ height, transform: `translateY(${top}px)` }}
      onClick={openUnlessSelectingText}
    >
      {buildColumns.map(({ name, cell }) => (
        <div role="cell" key={name} className={css[name]}>
          {cell(row, skew)}
        </div>
      ))}
      <div role="cell" className={css.id}>
        <Link
          ref={link}
          to={{ search: address }}
          tabIndex={isTabStop ? 0 : -1}
          aria-label={`Build ${buildId}`}
          onFocus={() => {
            props.onSelect(row.arrival)
          }}
        >
          <IdText id={buildId} />
        </Link>
        <CopyButton text={buildId} what={`build id ${buildId}`} tabIndex={isTabStop ? 0 : -1} />
      </div>
    </div>
  )
})
