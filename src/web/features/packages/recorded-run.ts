import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type PolicyGroup, policyKey } from '../../../policy/policy-group.ts'
import { type RunDifference, runDifference } from '../../../policy/run-difference.ts'
import { verdictOfRun } from '../../../policy/verdict.ts'
import {
  countedVerdict,
  type WaivedVerdict,
  waivedVerdict,
} from '../../../policy/waived-verdict.ts'
import type { EvaluationRecord, EvaluationSummary } from '../../../protocol/evaluation.ts'
import { packageNameOf, versionOf } from '../../../protocol/package-address.ts'
import { packageTextAt } from '../../../protocol/package-reference.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { evaluationQuery } from '../../data/scans/evaluation-history.ts'
import type { PolicyScanView } from '../../data/scans/policy-scan.ts'
import { evaluationsBefore, lackOf } from './comparison.tsx'
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
  const beside = waivedVerdict(
    groups,
    { unreadable, complete: ended === 'complete' },
    { waivers: counted, scan: record, now: endedAt },
  )
  return {
    ...beside,
    said:
      record.reasons === undefined
        ? { ...verdictOfRun(record), unchecked: beside.said.unchecked }
        : verdictOfRun(record),
    // Of what fails and isn't stored it isn't known whether it was waived.
    verdict:
      beside.waived.size === 0
        ? verdict
        : ended === 'complete'
          ? countedVerdict(record, beside.waived.size)
          : beside.verdict,
  }
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
  record: EvaluationRecord,
  { groups }: PolicyScanView,
  runs: readonly EvaluationSummary[],
): RunsCompared {
  const [{ than: named }] = useSearchState(runAddress)
  const before = runBefore(record, runs)
  const isListed = runs.some(({ id }) => id === record.id)
  const found = useQuery(
    evaluationQuery(
      useServices().request,
      named === record.id ? undefined : (named ?? (isListed ? before?.id : undefined)),
    ),
  )
  const theirs = useMemo(() => found.data && viewOfRecord(found.data).groups, [found.data])
  const [lack, theirLack] = [lackOf(record), found.data && lackOf(found.data)]
  const isWhole = lack === undefined && theirLack === undefined
  const difference = useMemo(
    () => (theirs === undefined || !isWhole ? undefined : runDifference(theirs, groups)),
    [theirs, isWhole, groups],
  )
  return { other: found.data, difference, theirs, fault: faultOf() }

  function faultOf(): string | undefined {
    if (named === record.id) return 'the URL has the same run twice.'
    if (lack !== undefined) return `this run is ${lack}.`
    return theirLack === undefined ? found.error?.message : `the other run is ${theirLack}.`
  }
}

/** The whole run of the same artifact that went before one; `runs` are the newest first. */
export function runBefore(
  record: EvaluationSummary,
  runs: readonly EvaluationSummary[],
): EvaluationSummary | undefined {
  return evaluationsBefore(runs, record.id).find(
    (run) => isOfSameArtifact(run, record) && lackOf(run) === undefined,
  )
}

/** Whether two runs are of the same package, digest and repository (docs/services.md#package-artifact). */
export function isOfSameArtifact(a: EvaluationSummary, b: EvaluationSummary): boolean {
  return (
    a.packagePath === b.packagePath && a.sha256 === b.sha256 && a.repositoryUrl === b.repositoryUrl
  )
}

/** What tells the artifact and scan of a run from those of the record, before its time; empty for the same ones. */
export function otherArtifactText(run: EvaluationSummary, record: EvaluationSummary): string {
  const isOtherPackage = packageNameOf(run.packagePath) !== packageNameOf(record.packagePath)
  const differing = [
    run.scan === record.scan ? '' : `scan ${run.scan}`,
    isOtherPackage
      ? packageTextAt(run.packagePath)
      : run.packagePath === record.packagePath
        ? ''
        : versionOf(run.packagePath),
    // Another version has another digest.
    run.packagePath !== record.packagePath || run.sha256 === record.sha256
      ? ''
      : run.sha256.slice(0, 8),
    run.repositoryUrl === record.repositoryUrl ? '' : run.repositoryUrl,
  ]
  return differing.map((text) => (text === '' ? '' : `${text}, `)).join('')
}
