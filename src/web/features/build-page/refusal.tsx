import type { ReactElement } from 'react'
import type { ProblemError } from '../../../protocol/problem.ts'
import { ProblemPanel } from '../../ui/problem.tsx'
import { VisuallyHidden } from '../../ui/text.tsx'
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
      <VisuallyHidden as="h1">{text.title}</VisuallyHidden>
      <ProblemPanel problem={text} retry={{ label: 'Try again', run: onRetry }} />
    </>
  )
}
