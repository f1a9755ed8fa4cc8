import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  comparedBuilds,
  failuresAround,
  failuresElsewhere,
  originDays,
} from '../../../facts/builds-around.ts'
import { failureKey } from '../../../facts/insight/failure-key.ts'
import { type FailureOrigin, failureOrigin } from '../../../facts/insight/failure-origin.ts'
import type { BuildFailure } from '../../../protocol/facts.ts'
import { buildsAroundQuery } from '../../data/builds/build-queries.ts'
import { usePageServices, useServices } from '../../data/core/services.ts'
import type { Knowledge } from './use-knowledge.ts'

/** What is known of where a failure comes from. */
export interface OriginKnowledge {
  readonly found: FailureOrigin | undefined
  /** The failure that it is about. */
  readonly failure: BuildFailure | undefined
  /** How many failed builds of other branches were compared; undefined while that isn't known. */
  readonly compared: number | undefined
  /** Why nothing could be compared. */
  readonly problem: string | undefined
}

const nothing: OriginKnowledge = {
  found: undefined,
  failure: undefined,
  compared: undefined,
  problem: undefined,
}

/**
 * Compares why a build failed with why the builds before it on its branch did, and those of other
 * branches of its project in the last days: the proxy reads their events, once for everybody.
 */
export function useFailureOrigin(knowledge: Knowledge): OriginKnowledge {
  const { request } = useServices()
  const { readFailures } = usePageServices()
  const { facts, neighbours, isComplete } = knowledge
  const streak = neighbours?.streak
  const build = isComplete && facts?.outcome === 'failed' && facts.project ? facts : undefined
  const around = useQuery(buildsAroundQuery(request, build, failuresAround))
  const others = useMemo(
    () => (build === undefined ? [] : failuresElsewhere(build, around.data ?? [])),
    [build, around.data],
  )
  const ids =
    build !== undefined && streak !== undefined && !around.isPending
      ? comparedBuilds(build, streak, others)
      : undefined
  const { data, error } = useQuery({
    queryKey: ['failures-around', ids],
    queryFn:
      ids === undefined
        ? skipToken
        : async ({ signal }): Promise<ReadonlyMap<string, readonly BuildFailure[]>> => {
            const known = new Map<string, readonly BuildFailure[]>()
            await readFailures(ids, {
              signal,
              onWait: () => undefined,
              onFindings: (findings) => {
                for (const { buildId, failures } of findings) {
                  if (failures !== undefined) known.set(buildId, failures)
                }
              },
            })
            return known
          },
    staleTime: Infinity,
    retry: false,
  })
  return useMemo(() => {
    if (build === undefined || streak === undefined) return nothing
    if (error !== null) return { ...nothing, problem: error.message }
    if (data === undefined) return nothing
    const keys = new Map(Array.from(data, ([id, failures]) => [id, failures.map(failureKey)]))
    const found = failureOrigin({ build, streak, others, days: originDays, keys })
    const failure = data.get(build.buildId)?.find((one) => failureKey(one) === found.key)
    const compared = others.filter(({ buildId }) => data.has(buildId)).length
    return { found, failure, compared, problem: undefined }
  }, [build, streak, others, data, error])
}
