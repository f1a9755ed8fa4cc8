import {
  queryOptions,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  type Assignment,
  AssignmentList,
  assignmentsPath,
  isOverdue,
  type NewAssignment,
} from '../../../protocol/assignment.ts'
import type { Request } from '../core/request.ts'
import { useServices } from '../core/services.ts'
import { useAct, useFreshQuery } from '../core/queries.tsx'

function assignmentsQuery(request: Request, board: string) {
  return queryOptions({
    queryKey: ['assignments', board],
    queryFn: ({ signal }) =>
      request(`${assignmentsPath}?${new URLSearchParams({ board }).toString()}`, AssignmentList, {
        signal,
      }),
    staleTime: 60_000,
  })
}

/** Who looks after what of a board. */
export interface Assignments {
  /** By the keys of cells. */
  readonly of: ReadonlyMap<string, Assignment>
  /** Before, any cell may be somebody's. */
  readonly isKnown: boolean
  /** Why they couldn't be loaded or refreshed the last time: a plain sentence. */
  readonly fault: string | undefined
  readonly retry: () => unknown
}

/** Who looks after the cells of a board, also as somebody else changes it. */
export function useAssignments(board: string): Assignments {
  useFreshQuery('assignments', ['assignments', board], (key) => key === board)
  const { data, error, refetch } = useQuery(assignmentsQuery(useServices().request, board))
  const list = data?.assignments
  return useMemo(
    () => ({
      of: new Map(list?.map((one) => [one.cell, one])),
      isKnown: list !== undefined,
      fault: error?.message,
      retry: refetch,
    }),
    [list, error, refetch],
  )
}

/** When the last of them was due that has been, epoch ms, up to `now`; 0 where none was. */
export function lastDue({ of }: Pick<Assignments, 'of'>, now: number): number {
  return Math.max(
    0,
    ...[...of.values()].flatMap((one) => (isOverdue(one, now) ? (one.dueAt ?? 0) : [])),
  )
}

/** Assigns cells of a board; the answer takes the place of what was known of it. */
export function useAssign(): UseMutationResult<AssignmentList, Error, NewAssignment> {
  const { request } = useServices()
  const act = useAct()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body) => act(assignmentsPath, AssignmentList, { method: 'POST', body }),
    onSuccess: (list, { board }) => {
      client.setQueryData(assignmentsQuery(request, board).queryKey, list)
      // A response that is on its way may be from before it.
      void client.invalidateQueries(assignmentsQuery(request, board))
    },
    onError: (_, { board }) => void client.invalidateQueries(assignmentsQuery(request, board)),
  })
}
