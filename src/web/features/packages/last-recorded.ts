import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { groupByPolicy, policyKey } from '../../../policy/policy-group.ts'
import { mostPolicies, policyCount, scanVerdict } from '../../../policy/verdict.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { placeKey } from '../../../protocol/decision.ts'
import type { EvaluationRecord, EvaluationSummary } from '../../../protocol/evaluation.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { useServices } from '../../data/core/services.ts'
import { useFreshQuery } from '../../data/core/queries.tsx'
import {
  evaluationQuery,
  lastEvaluationsQuery,
  runToShow,
} from '../../data/scans/evaluation-history.ts'
import {
  failureOf,
  type PolicyScanQuestion,
  type PolicyScanState,
  type PolicyScanView,
} from '../../data/scans/policy-scan.ts'

/** The last recorded run of a scan on an artifact, of anybody. */
export type LastRecorded =
  | { readonly is: 'loading' }
  | { readonly is: 'none' }
  | { readonly is: 'failed'; readonly problem: Error; readonly retry: () => void }
  | {
      readonly is: 'found'
      readonly record: EvaluationRecord
      readonly view: PolicyScanView
      /** The runs that began later than a complete one, the newest first: none of them is complete. */
      readonly newer: readonly EvaluationSummary[]
      /** Why a newer run may not be recorded yet: a plain sentence. */
      readonly lag: string | undefined
    }

/**
 * Finds it, and the next one as soon as that is recorded. A complete run goes before an unfinished one
 * that is newer, as it says more. Without a question nothing is requested, nor is the run `here`, which
 * the page evaluated itself: it is none.
 */
export function useLastRecorded(
  question: PolicyScanQuestion | undefined,
  here?: string,
): LastRecorded {
  const { request } = useServices()
  const query = lastEvaluationsQuery(request, question)
  const latest = useQuery(query)
  const place = question && `${packagePath(question.address)} ${question.scan}`
  useFreshQuery('evaluations', query.queryKey, (key) => key === place)
  const last = latest.data && runToShow(latest.data.evaluations)
  const run = last?.id === here ? undefined : last
  const found = useQuery({
    ...evaluationQuery(request, run?.id),
    // Until the next one is loaded this one stays, with all that somebody is doing on it.
    placeholderData: (before) => (isOfSamePlace(before, run) ? before : undefined),
  })
  const view = useMemo(() => found.data && viewOfRecord(found.data), [found.data])
  if (found.data !== undefined && view !== undefined) {
    const { evaluations, recording } = latest.data ?? {}
    const { id, ended } = found.data
    return {
      ...{ is: 'found', record: found.data, view },
      // What stays until a complete one is loaded isn't overruled by an incomplete one.
      newer:
        ended === 'complete' && !found.isPlaceholderData
          ? (evaluations?.filter((run) => run.id > id) ?? [])
          : [],
      lag:
        recording === undefined || recording.ok
          ? undefined
          : `Newer runs may not be recorded yet: ${recording.reason ?? "the database isn't accepting them."}`,
    }
  }
  const problem = latest.error ?? found.error
  if (problem !== null) {
    return {
      is: 'failed',
      problem,
      retry: () => void (latest.error === null ? found : latest).refetch(),
    }
  }
  return latest.data === undefined || run !== undefined ? { is: 'loading' } : { is: 'none' }
}

function isOfSamePlace(
  one: EvaluationSummary | undefined,
  other: EvaluationSummary | undefined,
): boolean {
  return one !== undefined && other !== undefined && placeKey(one) === placeKey(other)
}

/** A recorded run as the evaluation that it was. */
export function viewOfRecord(record: EvaluationRecord): PolicyScanView {
  const { answer, leftOut } = record
  const failures = answer.flatMap((part) => failureOf(part) ?? [])
  const failing = new Set(leftOut === 0 ? [] : record.failing.map(policyKey))
  const unread = record.unreadable - failures.length
  const isCut = policyCount(record.counts) > mostPolicies
  const stored = `${countText(answer.length)} of ${countOf(answer.length + leftOut, 'result')} are stored, as the rest takes too much space.`
  return {
    state: stateOf(record, failures[0]),
    // What made it fail may be among the results that aren't stored.
    groups: groupByPolicy(readPolicyAnswer(answer).results).map((group) =>
      failing.has(group.key) ? { ...group, status: 'unsatisfied' } : group,
    ),
    notStored:
      leftOut === 0
        ? undefined
        : isCut
          ? `There are more than ${countText(mostPolicies)} policies, and so many never count as passed. ${stored} The list and exports have only those.`
          : `${stored} The verdict and counts cover all results, the list and exports only the stored ones.`,
    results: record.results,
    // What is beyond the first policies was read, and not counted.
    unreadable: isCut ? 0 : unread,
    startedAt: record.startedAt,
    endedAt: record.endedAt,
    record: record.id,
  }
}

/** Whether what is stored of a run comes to what was recorded of it: of a very long one a part is. */
export function isTold(record: EvaluationRecord, { groups }: PolicyScanView): boolean {
  if (record.leftOut === 0) return true
  const { counts } = scanVerdict(groups, { unreadable: 0, complete: true })
  return statuses.every((status) => counts[status] === record.counts[status])
}

const statuses = ['satisfied', 'unsatisfied', 'not-applicable', 'unknown'] as const

/** `failure` is what the service reported in its response. */
function stateOf({ ended }: EvaluationRecord, failure = brokeOff): PolicyScanState {
  switch (ended) {
    case 'complete':
      return { is: 'done' }
    case 'cancelled':
      return { is: 'cancelled' }
    case 'broken':
      return { is: 'broken', problem: failure }
  }
}

const brokeOff = new ProblemError(
  problem(
    502,
    'answer-broke-off',
    'Incomplete response',
    'The connection broke before the response was complete.',
  ),
)
