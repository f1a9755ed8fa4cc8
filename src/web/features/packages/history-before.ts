import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { groupByPolicy, type PolicyGroup } from '../../../policy/policy-group.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import { evaluationQuery, latestEvaluationsQuery } from '../../data/scans/evaluation-history.ts'
import type { PolicyScanQuestion, PolicyScanView } from '../../data/scans/policy-scan.ts'
import { useRequest } from '../../data/core/request-context.ts'

/** Of longer runs the whole answer is not fetched to tell what changed. */
const mostResults = 5000

/** A run that went before, of anybody. */
export interface RunBefore {
  readonly at: number
  readonly by: string
  readonly groups: readonly PolicyGroup[]
}

/** What the proxy recorded of a scan and artifact before a run that has ended. */
export interface HistoryBefore {
  /** The recorded runs before this one, the newest first; undefined until that is known. */
  readonly earlier: readonly EvaluationSummary[] | undefined
  /** To compare with; `none` where there is no whole one, `unknown` until it is read. */
  readonly before: RunBefore | 'none' | 'unknown'
  /** Why this run was not recorded, or the history cannot be read: a plain sentence. */
  readonly fault: string | undefined
}

/** The recorded runs that went before this one; asked for when it has ended. */
export function useHistoryBefore(
  { address, scan, sha256 }: PolicyScanQuestion,
  { state, endedAt, record }: PolicyScanView,
): HistoryBefore {
  const request = useRequest()
  const filter = { path: packagePath(address), scan, sha256 }
  const list = useQuery(
    latestEvaluationsQuery(request, filter, state.is === 'refused' ? undefined : endedAt),
  )
  const earlier = useMemo(
    () => list.data && evaluationsBefore(list.data.evaluations, record),
    [list.data, record],
  )
  const wanted = earlier?.find(isWhole)
  const found = useQuery(evaluationQuery(request, wanted?.id))
  const before = useMemo(
    (): RunBefore | undefined =>
      found.data && {
        at: found.data.endedAt,
        by: found.data.by,
        groups: groupByPolicy(readPolicyAnswer(found.data.answer).results),
      },
    [found.data],
  )
  const isNone = list.isError || found.isError || (earlier !== undefined && wanted === undefined)
  return {
    earlier,
    before: before ?? (isNone ? 'none' : 'unknown'),
    fault: faultOf(),
  }

  function faultOf(): string | undefined {
    if (list.data === undefined) {
      return list.error === null ? undefined : `The history cannot be read: ${list.error.message}`
    }
    const { recording, evaluations } = list.data
    const isRecorded = evaluations.some(({ id }) => id === record)
    return recording.ok || isRecorded
      ? undefined
      : `This evaluation was not recorded: ${recording.reason ?? 'the database of Sightline does not take it.'}`
  }
}

/**
 * The evaluations of a list, the newest first, that went before the one with this id. Records are
 * written after their end: one that is not in the list yet is newer than all that are.
 */
export function evaluationsBefore(
  evaluations: readonly EvaluationSummary[],
  id: string | undefined,
): readonly EvaluationSummary[] {
  return evaluations.slice(evaluations.findIndex((one) => one.id === id) + 1)
}

function isWhole({ ended, unreadable, results }: EvaluationSummary): boolean {
  return ended === 'complete' && unreadable === 0 && results > 0 && results <= mostResults
}
