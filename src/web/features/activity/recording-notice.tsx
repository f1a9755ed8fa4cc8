import type { ReactElement } from 'react'
import type { EvaluationList } from '../../../protocol/evaluation.ts'
import { countOf } from '../../../protocol/count.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import css from './history-page.module.css'

/** That runs are missing from the history, and why; nothing where it is whole. */
export function RecordingNotice({
  recording: { ok, lost, reason },
}: {
  recording: EvaluationList['recording']
}): ReactElement | null {
  if (ok && lost === 0) return null
  const missing =
    lost === 0
      ? ''
      : ` ${countOf(lost, 'evaluation is', 'evaluations are')} missing since it started.`
  return (
    <p className={css.notice} data-testid="recording-notice">
      <StatusShape tone="waiting" />
      <span>
        {ok
          ? 'Sightline records evaluations again.'
          : `Evaluations are not being recorded: ${reason ?? 'the database of Sightline does not take them.'} They are evaluated all the same.`}
        {missing}
      </span>
    </p>
  )
}
