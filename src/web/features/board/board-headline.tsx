import type { ReactElement, ReactNode } from 'react'
import { boardSentence } from '../../../policy/board-sentence.ts'
import type { BoardRow } from '../../../policy/board-row.ts'
import { type BoardSnapshot, isGoing } from '../../data/board/board-run.ts'
import { countOf } from '../../../protocol/count.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/ticker.ts'
import { Unseen } from '../../ui/unseen.tsx'
import css from './board-headline.module.css'
import { progressText } from './board-progress.ts'

const tones = {
  releasable: 'good',
  // What only a waiver lets pass is never shown like what passed.
  'releasable-with-waivers': 'waiting',
  'not-releasable': 'bad',
  undecided: 'waiting',
  open: 'waiting',
} as const

/** The answer of the board in one sentence; below it what it is of, and how far a run has come. */
export function BoardHeadline({
  title,
  rows,
  scans,
  snapshot,
  children,
}: {
  title: string
  rows: readonly BoardRow[]
  scans: number
  snapshot: BoardSnapshot
  children: ReactNode
}): ReactElement {
  const { text, verdict: said } = boardSentence(rows)
  const isWaived = rows.some((row) => row.verdict === 'releasable-with-waivers')
  const verdict = said === 'releasable' && isWaived ? 'releasable-with-waivers' : said
  const { state, run } = snapshot
  const progress = useDerivedFromNow((now) => progressText(snapshot, now) ?? '')
  const oldest = oldestOf(snapshot)
  return (
    <header className={css.headline}>
      <h1 className={css.sentence} data-tone={tones[verdict]} data-verdict={verdict}>
        <StatusShape tone={tones[verdict]} />
        <span>{text}</span>
      </h1>
      {/* What counts down is not read out; the end is. */}
      <span role="status">
        <Unseen>{isGoing(state) ? 'Evaluating the board' : text}</Unseen>
      </span>
      <div className={css.line}>
        <strong>{title}</strong>
        <span className={css.dim}>
          {countOf(rows.length, 'package')}, {countOf(scans, 'scan')}
          {oldest !== undefined && (
            <>
              , oldest result <RelativeTime at={oldest} />
            </>
          )}
        </span>
        {!snapshot.isKept && (
          <span className={css.warning}>
            This device cannot keep the results: they are lost when the page is closed.
          </span>
        )}
        {children}
      </div>
      {progress !== '' && run !== undefined && (
        <div className={css.progress}>
          <div
            role="progressbar"
            aria-label="Evaluated"
            aria-valuemin={0}
            aria-valuemax={run.total}
            aria-valuenow={run.done}
            aria-valuetext={progress}
            className={css.bar}
          >
            <span style={{ width: `${(100 * run.done) / Math.max(1, run.total)}%` }} />
          </div>
          <p className={css.words} data-testid="progress">
            {progress}
          </p>
        </div>
      )}
    </header>
  )
}

function oldestOf({ cells }: BoardSnapshot): number | undefined {
  let oldest: number | undefined
  for (const { known } of cells.values()) {
    if (known !== undefined && (oldest === undefined || known.at < oldest)) oldest = known.at
  }
  return oldest
}
