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
  type NewAssignment,
} from '../../../protocol/assignment.ts'
import type { Request } from '../core/request.ts'
import { useServices } from '../core/services.ts'
import { useFreshQuery } from '../core/queries.tsx'

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

/** Who looks after the cells of a board, by their keys, also as somebody else changes it. */
export function useAssignments(board: string): ReadonlyMap<string, Assignment> {
  useFreshQuery('assignments', ['assignments', board], (key) => key === board)
  const { data } = useQuery(assignmentsQuery(useServices().request, board))
  return useMemo(() => new Map(data?.assignments.map((one) => [one.cell, one])), [data])
}

/** Assigns cells of a board; the answer takes the place of what was known of it. */
export function useAssign(): UseMutationResult<AssignmentList, Error, NewAssignment> {
  const { request } = useServices()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body) => request(assignmentsPath, AssignmentList, { method: 'POST', body }),
    onSuccess: (list, { board }) => {
      client.setQueryData(assignmentsQuery(request, board).queryKey, list)
    },
    onError: (_, { board }) => client.invalidateQueries(assignmentsQuery(request, board)),
  })
}
