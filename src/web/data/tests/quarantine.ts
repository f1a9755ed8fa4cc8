import { type UseMutationResult, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  type NewQuarantine,
  QuarantinedTest,
  QuarantineList,
  quarantinePath,
  testKey,
} from '../../../protocol/quarantine.ts'
import { useServices } from '../core/services.ts'
import { useFreshQuery, usePost } from '../core/queries.tsx'

const queryKey = ['quarantine']

/** The quarantined tests by their keys, also as somebody else changes them. */
export function useQuarantine(): ReadonlyMap<string, QuarantinedTest> {
  const { request } = useServices()
  useFreshQuery('quarantine', queryKey)
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => request(quarantinePath, QuarantineList, { signal }),
    staleTime: 60_000,
    // They end by themselves.
    refetchInterval: 300_000,
  })
  return useMemo(
    () => new Map(data?.quarantined.map((one) => [testKey(one.test), one])),
    [data?.quarantined],
  )
}

/** Quarantines a test, or gives it another date and reason. */
export function useQuarantineTest(): UseMutationResult<QuarantinedTest, Error, NewQuarantine> {
  return usePost(queryKey, QuarantinedTest, (test) => [quarantinePath, test])
}

/** Ends a quarantine, by its id. */
export function useEndQuarantine(): UseMutationResult<QuarantinedTest, Error, string> {
  return usePost(queryKey, QuarantinedTest, (id) => [
    `${quarantinePath}/${encodeURIComponent(id)}/end`,
    {},
  ])
}
