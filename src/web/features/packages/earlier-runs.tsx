import { Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { scanVerdict, verdictSentence } from '../../../policy/verdict.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { policyScanPath } from '../../../protocol/package-address.ts'
import type { PolicyScanQuestion } from '../../data/scans/policy-scan.ts'
import { runLink, runsLink } from '../../domain/package/package-links.ts'
import { groupsOfRun, runsBefore, verdictTones } from '../../domain/run/remembered-runs.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { RelativeTime } from '../../ui/time.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import css from './scan-page.module.css'

/** How the scan came out on this device before; `before` is epoch ms. */
export function EarlierRuns({
  question,
  before = 0,
}: {
  question: PolicyScanQuestion
  before: number | undefined
}): ReactElement | null {
  const { policyRuns = [] } = usePreferences()
  const path = policyScanPath(question.address, question.scan)
  const runs = runsBefore(policyRuns, { path, sha256: question.sha256 }, before)
  if (runs.length === 0) return null
  return (
    <details>
      <summary>Earlier on this device: {countOf(runs.length, 'time')}</summary>
      <ul className={css.list}>
        {runs.map((run) => {
          // Only whole runs are kept.
          const verdict = scanVerdict(groupsOfRun(run), { unreadable: 0, complete: true })
          return (
            <li key={run.at}>
              <StatusMark tone={verdictTones[verdict.verdict]} word={verdictSentence(verdict)} />{' '}
              <Text span inherit c="dimmed">
                <RelativeTime at={run.at} />
              </Text>
            </li>
          )
        })}
      </ul>
    </details>
  )
}

/** The runs before this one that the proxy recorded, whoever requested them. */
export function RecordedRuns({
  question,
  runs,
}: {
  question: PolicyScanQuestion
  runs: readonly EvaluationSummary[]
}): ReactElement {
  return (
    <details>
      <summary>Earlier runs: the last {countText(runs.length)} recorded</summary>
      <ul className={css.list}>
        {runs.map((run) => (
          <li key={run.id}>
            <Link to={runLink(question.address, question.scan, run.id)}>
              <StatusMark
                tone={verdictTones[run.verdict]}
                word={verdictSentence({ verdict: run.verdict, counts: run.counts })}
              />
            </Link>{' '}
            <Text span inherit c="dimmed">
              <RelativeTime at={run.endedAt} /> by {run.by}
            </Text>
          </li>
        ))}
      </ul>
      <p className={css.list}>
        <Link to={runsLink(question.address, question.scan, question)}>All recorded runs</Link>
      </p>
    </details>
  )
}
