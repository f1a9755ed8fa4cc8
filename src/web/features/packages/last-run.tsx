import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { problemWords } from '../../data/core/problem-words.ts'
import type { PolicyScanQuestion } from '../../data/scans/policy-scan.ts'
import { packageText, runsLink } from '../../domain/package/package-links.ts'
import { packageSubject } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { EmptyState, PageHeader } from '../../ui/page.tsx'
import pageCss from '../../ui/page.module.css'
import { ProblemPanel } from '../../ui/problem.tsx'
import { VisuallyHidden } from '../../ui/text.tsx'
import { useLastRecorded } from './last-recorded.ts'
import { RecordedRunScreen } from './recorded-run-page.tsx'

/** What a scan said when it was last recorded, and nothing that could be evaluated by looking. */
export function LastRun({
  question,
  reason,
  onEvaluate,
}: {
  question: PolicyScanQuestion
  /** Why nothing newer is to be had here; may be empty. */
  reason: string
  onEvaluate?: () => void
}): ReactElement {
  const { address, scan } = question
  const last = useLastRecorded(question)
  const evaluate = (
    <PermittedButton
      permission="evaluate"
      subject={packageSubject(address, scan)}
      onClick={onEvaluate}
    >
      Evaluate
    </PermittedButton>
  )
  if (last.is === 'found') {
    return (
      <RecordedRunScreen
        key={last.record.id}
        record={last.record}
        address={address}
        note={
          <span data-testid="last-run">
            The last recorded run, by <strong>{last.record.by}</strong>. {reason}
          </span>
        }
        isLast
        onEvaluate={onEvaluate}
      />
    )
  }
  if (last.is === 'failed') {
    const requested = { action: 'show', noun: 'the last recorded run', server: 'Sightline server' }
    const text = problemWords(last.problem, requested)
    return (
      <div className={pageCss.page}>
        <VisuallyHidden as="h1">{text.title}</VisuallyHidden>
        <ProblemPanel problem={text} retry={{ label: 'Try again', run: last.retry }} />
        {evaluate}
      </div>
    )
  }
  if (last.is === 'loading') {
    return (
      <div className={pageCss.page}>
        <PageHeader sentence="Loading the last recorded run…" />
      </div>
    )
  }
  return (
    <div className={pageCss.page}>
      <EmptyState
        title={`No recorded run of ${scan} for ${packageText(address)}.`}
        heading="h1"
        action={evaluate}
      >
        <p>The last run is shown here once someone has evaluated this package. {reason}</p>
        <p>
          <Link to={`${runsLink(address, scan, question)}&versions=all`}>
            Runs of other versions
          </Link>
        </p>
      </EmptyState>
    </div>
  )
}
