import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { packagePath } from '../../../protocol/package-address.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { useServices } from '../../data/core/services.ts'
import { evaluationQuery, latestEvaluationsQuery } from '../../data/scans/evaluation-history.ts'
import type { PolicyScanQuestion } from '../../data/scans/policy-scan.ts'
import { packageText, runsLink } from '../../domain/package/package-links.ts'
import { packageSubject } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { EmptyState, PageHeader } from '../../ui/page.tsx'
import pageCss from '../../ui/page.module.css'
import { ProblemPanel } from '../../ui/problem.tsx'
import { VisuallyHidden } from '../../ui/text.tsx'
import { RecordedRunScreen } from './recorded-run-page.tsx'

/** What a scan said when it was last recorded, for those who may not evaluate it, and why not. */
export function LastRun({
  question,
  reason,
}: {
  question: PolicyScanQuestion
  reason: string
}): ReactElement {
  const { request } = useServices()
  const { address, scan, sha256, repositoryUrl } = question
  const filter = { path: packagePath(address), scan, sha256 }
  const latest = useQuery(latestEvaluationsQuery(request, filter, 0))
  // An unfinished run says less than the whole one before it.
  const runs = latest.data?.evaluations.filter((run) => run.repositoryUrl === repositoryUrl) ?? []
  const run = runs.find(({ ended }) => ended === 'complete') ?? runs[0]
  const record = useQuery(evaluationQuery(request, run?.id))
  if (record.data !== undefined) {
    return (
      <RecordedRunScreen
        record={record.data}
        address={address}
        note={
          <span data-testid="last-run">
            The last recorded run, by <strong>{record.data.by}</strong>. {reason}
          </span>
        }
        isLast
      />
    )
  }
  const error = latest.error ?? record.error
  if (error !== null) {
    const requested = { action: 'show', noun: 'the last recorded run', server: 'Sightline server' }
    const text = problemWords(error, requested)
    return (
      <div className={pageCss.page}>
        <VisuallyHidden as="h1">{text.title}</VisuallyHidden>
        <ProblemPanel
          problem={text}
          retry={{
            label: 'Try again',
            run: () => void (latest.error === null ? record : latest).refetch(),
          }}
        />
      </div>
    )
  }
  if (latest.data === undefined || run !== undefined) {
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
        action={
          <PermittedButton permission="evaluate" subject={packageSubject(address, scan)}>
            Evaluate
          </PermittedButton>
        }
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
