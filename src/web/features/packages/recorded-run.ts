import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type PolicyGroup, policyKey } from '../../../policy/policy-group.ts'
import { type RunDifference, runDifference } from '../../../policy/run-difference.ts'
import { verdictOfRun } from '../../../policy/verdict.ts'
import { type WaivedVerdict, waivedVerdict } from '../../../policy/waived-verdict.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import type { EvaluationRecord, EvaluationSummary } from '../../../protocol/evaluation.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { evaluationQuery } from '../../data/scans/evaluation-history.ts'
import type { PolicyScanView } from '../../data/scans/policy-scan.ts'
import { evaluationsBefore } from './comparison.tsx'
import { viewOfRecord } from './last-recorded.ts'
import { waiversAt } from './waivers.tsx'
import { optionalParam, searchState, useSearchState } from '../../data/core/search-state.ts'
import { useServices } from '../../data/core/services.ts'

/**
 * What was said, and what was waived then. The verdict and the counts are those that were recorded:
 * of a long run the record holds a part of the results only.
 */
export function verdictOfRecord(
  record: EvaluationRecord,
  { groups, unreadable }: Pick<PolicyScanView, 'groups' | 'unreadable'>,
  waivers: readonly Waiver[],
): WaivedVerdict {
  const { verdict, endedAt, ended, waived } = record
  const then = new Set(waived.map(policyKey))
  const counted = waiversAt(waivers, endedAt).filter(({ policyUri }) =>
    then.has(policyKey(policyUri)),
  )
  const complete = ended === 'complete' && record.leftOut === 0
  const beside = waivedVerdict(
    groups,
    { unreadable, complete },
    { waivers: counted, scan: record, now: endedAt },
  )
  return {
    ...beside,
    said:
      record.reasons === undefined
        ? { ...verdictOfRun(record), unchecked: beside.said.unchecked }
        : verdictOfRun(record),
    verdict: beside.waived.size === 0 ? verdict : beside.verdict,
  }
}

/** What the record does not hold: a sentence, or nothing. */
export function leftOutText({ leftOut, results }: EvaluationRecord): string | undefined {
  return leftOut === 0
    ? undefined
    : `${countText(results - leftOut)} of ${countOf(results, 'result')} are stored; the others were too large. The verdict and counts cover all results, the list and exports only the stored ones.`
}

/** What the address says a recorded run is compared with: its id, or nothing for the run before. */
export const runAddress = searchState<{ readonly than: string | undefined }>({
  than: optionalParam('than'),
})

/** How two recorded runs compare. */
export interface RunsCompared {
  /** The other run, as far as it is known. */
  readonly other: EvaluationSummary | undefined
  readonly difference: RunDifference | undefined
  /** The policies of the other run. */
  readonly theirs: readonly PolicyGroup[] | undefined
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
  const [{ than: named }] = useSearchState(runAddress)
  const before = evaluationsBefore(runs, record.id).find(
    ({ packagePath, sha256, ended }) =>
      packagePath === record.packagePath && sha256 === record.sha256 && ended === 'complete',
  )
  const isListed = runs.some(({ id }) => id === record.id)
  const found = useQuery(
    evaluationQuery(useServices().request, named ?? (isListed ? before?.id : undefined)),
  )
  const theirs = useMemo(() => found.data && viewOfRecord(found.data).groups, [found.data])
  const isWhole = state.is === 'done'
  const difference = useMemo(
    () => (theirs === undefined || !isWhole ? undefined : runDifference(theirs, groups)),
    [theirs, isWhole, groups],
  )
  const fault = isWhole
    ? found.error?.message
    : "Incomplete runs aren't compared: missing results would look fixed."
  return { other: found.data, difference, theirs, fault }
}
