import {
  queryOptions,
  skipToken,
  type UseMutationResult,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query'
import * as z from 'zod/mini'
import {
  Decision,
  DecisionConcern,
  DecisionList,
  DecisionRecord,
  decisionsPath,
  type DecisionSubject,
  decisionSubjectKey,
  type NewDecision,
} from '../../../protocol/decision.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import type { Request } from '../core/request.ts'
import { useServices } from '../core/services.ts'
import { useFreshQuery, usePost } from '../core/queries.tsx'

const queryKey = ['decisions']

/** The decisions on a subject, the newest first, also when somebody else decides. */
export function useDecisions(subject: DecisionSubject): UseQueryResult<readonly Decision[]> {
  const { request } = useServices()
  const ofSubject = [...queryKey, decisionSubjectKey(subject)]
  const name = subject.is === 'board' ? subject.board : subject.packagePath
  useFreshQuery('decisions', ofSubject, (key) => key === name)
  return useQuery({
    queryKey: ofSubject,
    queryFn: async ({ signal }) => {
      const search = new URLSearchParams(
        subject.is === 'board'
          ? { board: subject.board }
          : { path: subject.packagePath, scan: subject.scan },
      )
      const path = `${decisionsPath}?${search.toString()}`
      const { decisions } = await request(path, DecisionList, { signal })
      // Of a package there may be decisions on other artifacts.
      return decisions.filter((one) => decisionSubjectKey(one.subject) === ofSubject[1])
    },
    staleTime: 60_000,
  })
}

/** One decision with its places; it never changes. Without an id nothing is requested. */
export function decisionRecordQuery(request: Request, id: string | undefined) {
  return queryOptions({
    queryKey: ['decision', id],
    queryFn:
      id === undefined
        ? skipToken
        : ({ signal }) =>
            request(`${decisionsPath}/${encodeURIComponent(id)}`, DecisionRecord, { signal }),
    staleTime: Infinity,
  })
}

/** Makes a decision. Whatever comes of it, the list is read anew: somebody else may have been faster. */
export function useDecide(): UseMutationResult<Decision, Error, NewDecision> {
  return usePost(queryKey, Decision, (decision) => [decisionsPath, decision])
}

/**
 * Whether a decision is the one that was sent by this user: it was made although the response was lost. Another one of
 * the same person that reads the same and follows the same decision comes to the same.
 */
export function isDecisionOf(made: Decision, sent: NewDecision, user: string | undefined): boolean {
  if (made.by !== user || made.reason !== sent.reason || made.id === sent.newest) return false
  if (made.action === 'revoke') return sent.action === 'revoke' && made.revokes === sent.newest
  if (sent.action !== 'release') return false
  return made.runs === new Set(sent.places.flatMap(({ run }) => run ?? [])).size
}

/** Why a decision was not made, and what is to be looked at before the next attempt. */
export interface DecisionRefusal {
  readonly text: string
  /** The decision that was made meanwhile, null where there is none any more. */
  readonly newest?: Decision | null
  /** What is to be confirmed besides. */
  readonly concerns?: readonly DecisionConcern[]
}

/** Reads a refusal of `useDecide`. */
export function decisionRefusal(error: Error): DecisionRefusal {
  if (!(error instanceof ProblemError)) return { text: `Request failed: ${error.message}` }
  const { problem, status, message, sentence } = error
  if (status === 409) {
    const { data: newer } = z.safeParse(NewerDecision, problem)
    if (newer !== undefined) return { text: message, newest: newer.newest }
    const { data: more } = z.safeParse(MoreConcerns, problem)
    return { text: message, ...(more === undefined ? {} : { concerns: more.concerns }) }
  }
  return [400, 401, 403].includes(status)
    ? { text: message }
    : { text: `${sentence} The decision may not have been saved. Check the page, then try again.` }
}

const NewerDecision = z.looseObject({ newest: z.nullable(Decision) })
const MoreConcerns = z.looseObject({ concerns: z.array(DecisionConcern) })
