import type { ReactElement } from 'react'
import { countOf } from '../../../protocol/count.ts'
import type { EvaluationList } from '../../../protocol/evaluation.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { ProblemPanel, type ProblemText } from '../../ui/problem.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import css from './activity.module.css'

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
      : ` ${countOf(lost, 'evaluation is', 'evaluations are')} missing since Sightline started.`
  return (
    <p className={css.notice} data-testid="recording-notice">
      <StatusShape tone="waiting" />
      <span>
        {ok
          ? 'Evaluations are being recorded again.'
          : `Evaluations are not being recorded: ${reason ?? "the database isn't accepting them."} Evaluating still works.`}
        {missing}
      </span>
    </p>
  )
}

/** Why a part of the history cannot be shown. */
export function HistoryTrouble({
  what,
  error,
  onRetry,
}: {
  /** Such as "The recorded runs". */
  what: string
  error: Error
  onRetry: () => void
}): ReactElement {
  return (
    <ProblemPanel problem={troubleText(what, error)} retry={{ label: 'Try again', run: onRetry }} />
  )
}

function troubleText(what: string, error: Error): ProblemText {
  const title = `Can't show ${what}.`
  if (!(error instanceof ProblemError)) return { title, meaning: error.message }
  const { status, problem, message } = error
  const detail = `${status} ${problem.title} (${problem.type})`
  if (status === 403) {
    return { title, meaning: `You don't have permission to read the history. ${message}`, detail }
  }
  return { title, meaning: message, detail }
}
