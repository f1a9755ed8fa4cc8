import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { type RunDifference, runDifference } from '../../../policy/run-difference.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { evaluationQuery } from '../../data/scans/evaluation-history.ts'
import type { PolicyScanView } from '../../data/scans/policy-scan.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { evaluationsBefore } from './history-before.ts'
import { viewOfRecord } from './history-run-view.ts'

/** Where the address says what a recorded run is compared with; left out for the run before. */
export const otherRunKey = 'than'

/** How two recorded runs compare. */
export interface RunsCompared {
  /** The other run, as far as it is known. */
  readonly other: EvaluationSummary | undefined
  readonly difference: RunDifference | undefined
  /** Why there is none: a plain sentence. */
  readonly fault: string | undefined
}

/**
 * Compares a recorded run with the one that the address names, or else with the whole run of the same
 * artifact before it. `runs` are those of all versions, the newest first.
 */
export function useRunComparison(
  record: EvaluationSummary,
  { groups, state }: PolicyScanView,
  runs: readonly EvaluationSummary[],
): RunsCompared {
  const [search] = useSearchParams()
  const named = search.get(otherRunKey)
  const before = evaluationsBefore(runs, record.id).find(
    ({ packagePath, sha256, ended }) =>
      packagePath === record.packagePath && sha256 === record.sha256 && ended === 'complete',
  )
  const isListed = runs.some(({ id }) => id === record.id)
  const found = useQuery(
    evaluationQuery(useRequest(), named ?? (isListed ? before?.id : undefined)),
  )
  const theirs = useMemo(() => found.data && viewOfRecord(found.data).groups, [found.data])
  const isWhole = state.is === 'done'
  const difference = useMemo(
    () => (theirs === undefined || !isWhole ? undefined : runDifference(theirs, groups)),
    [theirs, isWhole, groups],
  )
  const fault = isWhole
    ? found.error?.message
    : 'A run that did not end is compared with nothing: what is missing would look fixed.'
  return { other: found.data, difference, fault }
}
