import type { ReactElement } from 'react'
import { scanVerdict } from '../../../policy/verdict.ts'
import { verdictSentence } from '../../../policy/verdict-sentence.ts'
import { policyScanPath } from '../../../protocol/package-address.ts'
import type { PolicyScanQuestion } from '../../data/scans/policy-scan.ts'
import { countOf } from '../../../protocol/count.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { groupsOfRun, runsBefore } from '../../domain/run/remembered-runs.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { verdictTones } from '../../domain/run/verdict-tones.ts'
import css from './earlier-runs.module.css'

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
    <details className={css.runs}>
      <summary>Evaluated on this device before: {countOf(runs.length, 'time')}</summary>
      <ul className={css.list}>
        {runs.map((run) => {
          // Only whole runs are kept.
          const verdict = scanVerdict(groupsOfRun(run), { unreadable: 0, complete: true })
          return (
            <li key={run.at}>
              <StatusMark tone={verdictTones[verdict.verdict]} word={verdictSentence(verdict)} />{' '}
              <span className={css.dim}>
                <RelativeTime at={run.at} />
              </span>
            </li>
          )
        })}
      </ul>
    </details>
  )
}
