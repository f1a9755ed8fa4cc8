import { Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import {
  type ScanVerdict,
  scanVerdict,
  verdictOfRun,
  verdictSentence,
} from '../../../policy/verdict.ts'
import { countOf } from '../../../protocol/count.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { policyScanPath } from '../../../protocol/package-address.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import type { PolicyScanQuestion } from '../../data/scans/policy-scan.ts'
import { runLink, runsLink } from '../../domain/package/package-links.ts'
import { groupsOfRun, runsBefore, verdictTone } from '../../domain/run/remembered-runs.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { RelativeTime } from '../../ui/time.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { problemWords } from '../../data/core/problem-words.ts'
import { packageSubject } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { EmptyState } from '../../ui/page.tsx'
import pageCss from '../../ui/page.module.css'
import { ProblemPanel } from '../../ui/problem.tsx'
import css from './scan-page.module.css'
import { useLastRecorded } from './last-recorded.ts'
import { RecordedRunScreen } from './recorded-run-page.tsx'
import { LoadingScan } from './scan-headline.tsx'

/** How the scan came out before: the runs that the proxy recorded, or else those of this device. */
export function EarlierRuns({
  question,
  recorded,
  before = 0,
}: {
  question: PolicyScanQuestion
  /** Those before this run, the newest first; undefined while they are not known. */
  recorded: readonly EvaluationSummary[] | undefined
  /** When this run began, epoch ms. */
  before: number | undefined
}): ReactElement | null {
  const { policyRuns = [] } = usePreferences()
  const { address, scan } = question
  if (recorded !== undefined && recorded.length > 0) {
    return (
      <details>
        <summary>Earlier: {countOf(recorded.length, 'recorded run')}</summary>
        <ul className={css.list}>
          {recorded.map((run) => (
            <Run
              key={run.id}
              at={run.endedAt}
              by={run.by}
              verdict={verdictOfRun(run)}
              to={runLink(address, scan, run.id)}
            />
          ))}
        </ul>
        <p className={css.list}>
          <Link to={runsLink(address, scan, question)}>All recorded runs</Link>
        </p>
      </details>
    )
  }
  const runs = runsBefore(policyRuns, { ...question, path: policyScanPath(address, scan) }, before)
  if (runs.length === 0) return null
  return (
    <details>
      <summary>Earlier on this device: {countOf(runs.length, 'time')}</summary>
      <ul className={css.list}>
        {runs.map((run) => {
          // Only complete runs are kept.
          const verdict = scanVerdict(groupsOfRun(run), { unreadable: 0, complete: true })
          return <Run key={run.at} at={run.at} verdict={verdict} />
        })}
      </ul>
    </details>
  )
}

function Run({
  at,
  by,
  verdict,
  to,
}: {
  at: number
  by?: string
  verdict: ScanVerdict
  to?: string
}): ReactElement {
  const mark = (
    <StatusMark tone={verdictTone(verdict.verdict, verdict)} word={verdictSentence(verdict)} />
  )
  return (
    <li>
      {to === undefined ? mark : <Link to={to}>{mark}</Link>}{' '}
      <Text span inherit c="dimmed">
        <RelativeTime at={at} /> {by !== undefined && `by ${by}`}
      </Text>
    </li>
  )
}

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
        newer={last.newer}
        lag={last.lag}
        onEvaluate={onEvaluate}
      />
    )
  }
  if (last.is === 'failed') {
    const requested = { action: 'show', noun: 'the last recorded run', server: 'Sightline server' }
    const text = problemWords(last.problem, requested)
    return (
      <div className={pageCss.page}>
        <ProblemPanel isPage problem={text} retry={{ label: 'Try again', run: last.retry }} />
        {evaluate}
      </div>
    )
  }
  if (last.is === 'loading')
    return <LoadingScan address={address} scan={scan} artifact={question} />
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
