import * as z from 'zod/mini'
import {
  buildPath,
  cacheKey,
  cacheModel,
  readListedBuild,
  toolsWithCache,
} from '../../../protocol/build-data.ts'
import { CacheCounts } from '../../../protocol/insight.ts'
import { problemError, ProblemError } from '../../../protocol/problem.ts'
import { fetchJson } from '../live/upstream-fetch.ts'
import type { BuildReading } from './insights.ts'

/**
 * How much of a build's work came from the build cache, by the model of its tool
 * (docs/services.md#build-cache-performance). A server without these models is a ProblemError that says so.
 */
export const cacheReading: BuildReading<CacheCounts> = {
  name: 'caches',
  version: 1,
  schema: CacheCounts,
  read: async ({ client, clock }, buildId, signal) => {
    const path = buildPath(buildId, toolsWithCache.map(cacheModel))
    try {
      const answer = await fetchJson(client, clock, path, signal)
      const models = readListedBuild(answer, () => undefined)?.models ?? {}
      const given = toolsWithCache.flatMap((tool) => models[cacheKey(tool)]?.model ?? [])
      if (given.length === 0) throw noModels()
      return { result: countsOf(given.flatMap(unitsOf)), bytes: 0 }
    } catch (error) {
      if (error instanceof ProblemError && unknownModel.includes(error.status)) throw noModels()
      throw error
    }
  },
}

/** Servers that don't know these models refuse them, or don't have single builds at all. */
const unknownModel = [400, 404, 405, 501]

const Unit = z.looseObject({ avoidanceOutcome: z.string() })
const Performance = z.looseObject({
  taskExecution: z.optional(z.array(Unit)),
  goalExecution: z.optional(z.array(Unit)),
})

function unitsOf(model: unknown): readonly z.infer<typeof Unit>[] {
  const { taskExecution, goalExecution } = Performance.safeParse(model).data ?? {}
  return taskExecution ?? goalExecution ?? []
}

/** What was up to date needed no cache, and of what nothing is known could not have come from it. */
function countsOf(units: readonly z.infer<typeof Unit>[]): CacheCounts {
  let [hits, executed] = [0, 0]
  for (const { avoidanceOutcome } of units) {
    if (/^avoided_from_\w+_cache$/.test(avoidanceOutcome)) hits += 1
    else if (avoidanceOutcome === 'executed_cacheable') executed += 1
  }
  return { hits, cacheable: hits + executed }
}

function noModels(): ProblemError {
  return problemError(
    400,
    'no-cache-models',
    'No build cache models',
    'The build server gives no build cache models.',
  )
}
