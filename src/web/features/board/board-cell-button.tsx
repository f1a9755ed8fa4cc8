import type { ReactElement } from 'react'
import { staleAfterMs } from '../../../policy/board-cell.ts'
import { verdictWords } from '../../../policy/board-export.ts'
import type { RowCell } from '../../../policy/board-row.ts'
import { agoText } from '../../ui/ago.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/ticker.ts'
import { Unseen } from '../../ui/unseen.tsx'
import css from './board-table.module.css'
import { doingWords, verdictTones } from './verdict-tones.ts'

/** A cell: its status in shape, colour and word, its age, and what is being done for it. */
export function BoardCellButton({
  cell,
  label,
  at,
  isOpen,
  onPress,
}: {
  cell: RowCell
  /** Package and scan, for those who cannot see the table. */
  label: string
  /** Row and column, for the arrow keys. */
  at: string
  isOpen: boolean
  onPress: () => void
}): ReactElement {
  const { verdict, cell: state, waived } = cell
  const { known, doing } = state
  const tone = verdictTones[verdict]
  const failing = known?.outcome.counts.unsatisfied ?? 0
  const word = verdict === 'not-releasable' ? `${failing} failing` : shortWords[verdict]
  const age = useDerivedFromNow((now) => (known === undefined ? '' : agoText(now - known.at)))
  const isStale = useDerivedFromNow((now) => known !== undefined && now - known.at > staleAfterMs)
  const work = useDerivedFromNow((now) => doingWords(state, now))
  return (
    <button
      type="button"
      className={css.cell}
      data-at={at}
      data-tone={tone}
      data-verdict={verdict}
      data-doing={doing.is}
      aria-expanded={isOpen}
      onClick={onPress}
    >
      <Unseen>
        {label}: {verdictWords[verdict]}
        {', '}
      </Unseen>
      <span className={css.word}>
        <StatusShape tone={doing.is === 'idle' ? tone : 'waiting'} />
        <span>{doing.is !== 'idle' && known === undefined ? work : word}</span>
      </span>
      <span className={css.age}>
        {doing.is !== 'idle' && known !== undefined ? work : age}
        {isStale && ' (stale)'}
        {waived.size > 0 && ` (${waived.size} waived)`}
      </span>
    </button>
  )
}

const shortWords = {
  'not-releasable': 'failing',
  failed: 'no answer',
  undecided: 'undecided',
  open: 'not yet',
  'releasable-with-waivers': 'waived',
  releasable: 'passes',
  'nothing-applied': 'nothing applied',
} as const
