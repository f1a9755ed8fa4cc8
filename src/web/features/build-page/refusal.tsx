import type { ReactElement } from 'react'
import type { ProblemError } from '../../../protocol/problem.ts'
import { ProblemPanel } from '../../ui/problem-panel.tsx'
import { Unseen } from '../../ui/unseen.tsx'
import { refusalText } from './refusal-text.ts'

/** In place of the page: nothing of the build can be had. */
export function Refusal({
  buildId,
  problem,
  onRetry,
}: {
  buildId: string
  problem: ProblemError
  onRetry: () => void
}): ReactElement {
  const text = refusalText(buildId, problem)
  return (
    <>
      <Unseen as="h1">{text.title}</Unseen>
      <ProblemPanel problem={text} retry={{ label: 'Try again', run: onRetry }} />
    </>
  )
}
