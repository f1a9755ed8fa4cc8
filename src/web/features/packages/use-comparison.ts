import { useMemo } from 'react'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import { type RunDifference, runDifference } from '../../../policy/run-difference.ts'
import { policyScanPath } from '../../../protocol/package-address.ts'
import {
  isRunning,
  type PolicyScan,
  type PolicyScanQuestion,
  type PolicyScanView,
  scanAtRest,
} from '../../data/scans/policy-scan.ts'
import { usePolicyScans, usePolicyScanView } from '../../data/scans/policy-scans-context.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { groupsOfRun, runsBefore } from '../../domain/run/remembered-runs.ts'
import type { HistoryBefore } from './history-before.ts'
import type { ScanAddress } from './scan-address.ts'

/** What a run is compared with, and what came of it. */
export type Comparison =
  /** There is nothing to compare with, or not all of this run yet. */
  | { readonly is: 'none' }
  /** The other version is being evaluated. */
  | { readonly is: 'running'; readonly since: string }
  /** The other version cannot be evaluated to its end. */
  | { readonly is: 'failed'; readonly since: string; readonly reason: string }
  | {
      readonly is: 'done'
      readonly since: string
      /** When the other run ended, epoch ms. */
      readonly at: number
      /** Who asked for it, where the proxy recorded that. */
      readonly by: string | undefined
      readonly difference: RunDifference
    }

/**
 * Compares a run with another version of the package, or with the run before it: the recorded one of
 * anybody, or else that of this device.
 */
export function useComparison(
  question: PolicyScanQuestion,
  { state, groups, startedAt }: PolicyScanView,
  other: ScanAddress['other'],
  recorded: HistoryBefore['before'],
): Comparison {
  const scans = usePolicyScans()
  const { policyRuns = [] } = usePreferences()
  const asked =
    other === undefined
      ? undefined
      : {
          ...question,
          ...other,
          address: { ...question.address, version: other.version },
        }
  const view = usePolicyScanView(asked === undefined ? noScan : scans.open(asked))
  const path = policyScanPath(question.address, question.scan)
  const [remembered] = runsBefore(policyRuns, { path, sha256: question.sha256 }, startedAt ?? 0)
  const before = useMemo((): Before | undefined => {
    if (recorded === 'unknown') return undefined
    if (recorded !== 'none') return recorded
    return (
      remembered && {
        at: remembered.at,
        by: undefined,
        groups: groupsOfRun(remembered),
      }
    )
  }, [recorded, remembered])
  const theirs = useMemo((): readonly PolicyGroup[] => {
    if (other !== undefined) return view.groups
    return before?.groups ?? []
  }, [other, view.groups, before])
  const isDone = state.is === 'done'
  const difference = useMemo(
    () => (isDone ? runDifference(theirs, groups) : undefined),
    [isDone, theirs, groups],
  )

  if (difference === undefined) return { is: 'none' }
  if (other === undefined) {
    return before === undefined
      ? { is: 'none' }
      : { is: 'done', since: 'the last run', at: before.at, by: before.by, difference }
  }
  const since = `version ${other.version}`
  if (view.state.is === 'done' && view.endedAt !== undefined) {
    return { is: 'done', since, at: view.endedAt, by: undefined, difference }
  }
  if (view.state.is === 'refused' || view.state.is === 'broken') {
    return { is: 'failed', since, reason: view.state.problem.message }
  }
  return isRunning(view.state) || view.state.is === 'idle'
    ? { is: 'running', since }
    : { is: 'failed', since, reason: 'Its evaluation was cancelled.' }
}

/** The run before this one. */
interface Before {
  readonly at: number
  /** Who asked for it; undefined where that was on this device. */
  readonly by: string | undefined
  readonly groups: readonly PolicyGroup[]
}

/** In place of an evaluation where there is none. */
const noScan: PolicyScan = {
  subscribe: () => () => undefined,
  getSnapshot: () => scanAtRest,
  run: () => undefined,
  cancel: () => undefined,
}
