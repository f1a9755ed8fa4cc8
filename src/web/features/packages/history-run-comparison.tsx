import { type ReactElement, useId } from 'react'
import { useSearchParams } from 'react-router'
import { differenceSentence } from '../../../policy/run-difference.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText, type Zone } from '../../ui/instant.ts'
import css from './comparison-line.module.css'
import { otherRunKey, type RunsCompared } from './history-use-run.ts'

/** What changed between two recorded runs, and the choice of the other one. */
export function RunComparison({
  record,
  runs,
  comparison: { other, difference, fault },
}: {
  record: EvaluationSummary
  runs: readonly EvaluationSummary[]
  comparison: RunsCompared
}): ReactElement | null {
  const [search, setSearch] = useSearchParams()
  const { zone } = usePreferences()
  const id = useId()
  const named = search.get(otherRunKey) ?? ''
  const others = runs.filter((run) => run.id !== record.id)
  if (others.length === 0 && named === '') return null
  return (
    <div className={css.line}>
      {difference !== undefined && other !== undefined ? (
        <span data-testid="comparison">
          {differenceSentence(difference, `the run of ${runText(other, record, zone)}`) ||
            `Nothing changed since the run of ${runText(other, record, zone)}.`}
        </span>
      ) : (
        <span className={css.dim}>
          {fault === undefined ? 'Compared with no other run.' : `Not compared: ${fault}`}
        </span>
      )}
      <span className={css.choice}>
        <label htmlFor={id}>Compare with</label>
        <select
          id={id}
          value={named}
          onChange={(event) => {
            const chosen = event.currentTarget.value
            setSearch((now) => {
              const next = new URLSearchParams(now)
              if (chosen === '') next.delete(otherRunKey)
              else next.set(otherRunKey, chosen)
              return next
            })
          }}
        >
          <option value="">the run before</option>
          {named !== '' && !others.some((run) => run.id === named) && (
            <option value={named}>an older run</option>
          )}
          {others.map((run) => (
            <option key={run.id} value={run.id}>
              {runText(run, record, zone)}
            </option>
          ))}
        </select>
      </span>
    </div>
  )
}

/** "20 Nov 2026, 09:14:05 UTC by alice", with the version where it is another one. */
function runText(run: EvaluationSummary, record: EvaluationSummary, zone: Zone): string {
  const { packagePath: path } = run
  const version = path === record.packagePath ? '' : `${path.slice(path.lastIndexOf('/') + 1)}, `
  return `${version}${instantText(run.endedAt, zone)} by ${run.by}`
}
