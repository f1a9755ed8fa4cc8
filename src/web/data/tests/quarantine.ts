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

/** Quarantined tests by their keys. */
export interface Quarantine {
  readonly tests: ReadonlyMap<string, QuarantinedTest>
  /** Before, any test may be one of them. */
  readonly isKnown: boolean
  /** Why they couldn't be loaded or refreshed the last time. */
  readonly fault: Error | null
  readonly retry: () => unknown
}

/** The quarantined tests, also as somebody else changes them; one that ends by itself stays until `standing` leaves it out. */
export function useQuarantine(): Quarantine {
  const { request } = useServices()
  useFreshQuery('quarantine', queryKey)
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => request(quarantinePath, QuarantineList, { signal }),
    staleTime: 60_000,
    // They end by themselves.
    refetchInterval: 300_000,
  })
  const list = data?.quarantined
  return useMemo(
    () => ({
      tests: new Map(list?.map((one) => [testKey(one.test), one])),
      isKnown: list !== undefined,
      fault: error,
      retry: refetch,
    }),
    [list, error, refetch],
  )
}

/** When the last of them ended, epoch ms, up to `now`; 0 where none has. */
export function lastEnd({ tests }: Pick<Quarantine, 'tests'>, now: number): number {
  return Math.max(0, ...[...tests.values()].flatMap(({ until }) => (until <= now ? until : [])))
}

/** Those whose quarantine goes on after `ended`, epoch ms. */
export function standing({ tests }: Pick<Quarantine, 'tests'>, ended: number): Quarantine['tests'] {
  return ended === 0 ? tests : new Map([...tests].filter(([, { until }]) => until > ended))
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
