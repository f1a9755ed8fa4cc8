import { memo, type MouseEvent, type ReactElement, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import type { FoundBuild } from '../../data/builds/build-search.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { IdText, VisuallyHidden } from '../../ui/text.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { buildCell } from './build-cell.tsx'
import { columnMeaning } from './column-meaning.ts'
import type { ShownColumn } from './column-choice.ts'
import css from './result-table.module.css'

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
export const ResultRow = memo(function ResultRow(props: ResultRowProps): ReactElement {
  const { found, columns, index, top, height, isOpen, isChosen, isTabStop, onChoose, onLook } =
    props
  const { facts, verdict } = found
  const { buildId } = facts

  function lookUnlessSelectingText(event: MouseEvent): void {
    const isControl =
      event.target instanceof Element && event.target.closest('a, button, label') !== null
    if (!isControl && getSelection()?.isCollapsed !== false) onLook(index)
  }

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
      onClick={lookUnlessSelectingText}
    >
      <div role="cell" className={css.choose}>
        {/* A finger needs more than the box. */}
        <label>
          <input
            type="checkbox"
            checked={isChosen}
            tabIndex={isTabStop ? 0 : -1}
            aria-label={`Choose build ${buildId}`}
            // A click tells of the Shift key, a change does not.
            onClick={(event) => {
              onChoose(buildId, event.shiftKey)
            }}
            onChange={() => undefined}
          />
        </label>
      </div>
      <Cells columns={columns} facts={facts} />
      <IdCell {...props} buildId={buildId} />
    </div>
  )
})

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

function IdCell({
  buildId,
  found,
  index,
  isCurrent,
  isTabStop,
  onCurrent,
}: ResultRowProps & { buildId: string }): ReactElement {
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isCurrent) link.current?.focus({ preventScroll: true })
  }, [isCurrent])
  return (
    <div role="cell" className={css.id}>
      {found.verdict === 'unknown' && (
        <span title="Whether it matches cannot be told: too little is known of it here.">
          <StatusShape tone="waiting" />
          <VisuallyHidden>Cannot be told whether it matches.</VisuallyHidden>
        </span>
      )}
      <Link
        ref={link}
        to={`/builds/${buildId}`}
        tabIndex={isTabStop ? 0 : -1}
        aria-label={`Build ${buildId}`}
        onFocus={() => {
          onCurrent(index)
        }}
      >
        <IdText id={buildId} />
      </Link>
      <CopyButton text={buildId} what={`build id ${buildId}`} tabIndex={isTabStop ? 0 : -1} />
    </div>
  )
}
