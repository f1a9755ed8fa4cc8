import type { ReactElement } from 'react'
import { ProblemError } from '../../../protocol/problem.ts'
import { ProblemPanel, type ProblemText } from '../../ui/problem-panel.tsx'

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
  const title = `${what} cannot be shown.`
  if (!(error instanceof ProblemError)) return { title, meaning: error.message }
  const { status, problem, message } = error
  const detail = `${status} ${problem.title} (${problem.type})`
  if (status === 403) {
    return { title, meaning: `This session may not read the history. ${message}`, detail }
  }
  return { title, meaning: message, detail }
}
