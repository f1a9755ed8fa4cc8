import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import type { BoardRow, RowCell } from '../../../policy/board-row.ts'
import type { BoardOutcome } from '../../../protocol/board-run.ts'
import { countOf } from '../../../protocol/count.ts'
import { packageLink, packageText } from '../../domain/package/package-words.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import css from './board-table.module.css'
import { FailingPolicies } from './failing-policies.tsx'
import type { WaiverWish } from './waiver-wish.ts'

/** An opened cell: which policies fail, what can be done, and the way to the whole scan. */
export function CellDetail({
  row,
  cell,
  onRetry,
  onWish,
}: {
  row: BoardRow
  cell: RowCell
  onRetry: () => void
  onWish: (wish: WaiverWish) => void
}): ReactElement {
  const { place, cell: state } = cell
  const { known, fault } = state
  const { address } = row.of
  return (
    <section aria-label={`${packageText(address)}, ${place.scan}`}>
      {fault !== undefined && (
        <p className={css.fault}>
          <StatusMark tone="bad" word="no answer" /> {fault.problem.detail ?? fault.problem.title}{' '}
          <span className={css.dim}>
            ({fault.problem.status}, <RelativeTime at={fault.at} />)
          </span>
        </p>
      )}
      {known === undefined ? (
        <p>There is no result yet.</p>
      ) : (
        <>
          <p>
            {countOf(policiesOf(known.outcome), 'policy', 'policies')} in{' '}
            {countOf(known.outcome.results, 'result')}, evaluated <RelativeTime at={known.at} />:{' '}
            {known.outcome.counts.satisfied} satisfied, {known.outcome.counts.unsatisfied}{' '}
            unsatisfied, {known.outcome.counts['not-applicable']} not applicable
            {known.outcome.counts.unknown > 0 && `, ${known.outcome.counts.unknown} not known here`}
            {known.outcome.unreadable > 0 && `, ${known.outcome.unreadable} parts not readable`}.
          </p>
          <FailingPolicies of={row.of} cell={cell} outcome={known.outcome} onWish={onWish} />
        </>
      )}
      <div className={css.ways}>
        <Link to={packageLink(address, row.of, place.scan)}>Open the policy scan</Link>
        <Button size="xs" variant="default" disabled={state.doing.is !== 'idle'} onClick={onRetry}>
          Evaluate this cell again
        </Button>
      </div>
    </section>
  )
}

function policiesOf({ counts }: BoardOutcome): number {
  return counts.satisfied + counts.unsatisfied + counts['not-applicable'] + counts.unknown
}
