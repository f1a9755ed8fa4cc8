import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
import { branchOf } from '../../../facts/failure-streak.ts'
import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { attributesModel, toolsWithAttributes } from '../../../protocol/attributes.ts'
import { buildListPath } from '../../../protocol/build-data-paths.ts'
import { BuildSummary, toBuildMessage } from '../../../protocol/build-summary.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import type { Request } from '../core/request.ts'

/** As many builds before one as tell how long its project and branch have been failing. */
const mostBuilds = 50

/**
 * Builds of the same project and branch that were received before this one, the newest first, from
 * the build data API. A server that cannot search is asked for any builds: whoever asks looks for the
 * right ones among them.
 */
export function earlierBuildsQuery(request: Request, build: Facts) {
  const list = {
    fromInstant: build.receivedAt,
    reverse: true,
    maxBuilds: mostBuilds,
    models: toolsWithAttributes.filter((tool) => tool === build.buildTool).map(attributesModel),
  }
  const ask = (more: { readonly query?: string }, signal: AbortSignal): Promise<BuildSummary[]> =>
    request(`/upstream/build-data${buildListPath({ ...list, ...more })}`, z.array(BuildSummary), {
      signal,
    })
  return queryOptions({
    queryKey: ['build-earlier', build.buildId, list, searchFor(build)],
    queryFn: async ({ signal }): Promise<readonly Facts[]> => {
      const builds = await ask({ query: searchFor(build) }, signal).catch((error: unknown) => {
        if (error instanceof ProblemError && error.status === 400) return ask({}, signal)
        throw error
      })
      return builds
        .filter(({ id }) => id !== build.buildId)
        .map((summary) => factsFromAttributes(toBuildMessage(summary), summary.models ?? {}))
    },
    staleTime: Infinity,
    retry: false,
  })
}

/** In docs/services.md#advanced-search-syntax; a name with a quote in it is left to the reader. */
function searchFor(build: Facts): string {
  const terms = [
    ['project', build.project ?? ''],
    ['buildTool', build.buildTool],
  ]
  const branch = branchOf(build)
  if (branch !== undefined) terms.push(['value', `Git branch=${branch}`])
  return terms
    .filter(([, value = '']) => value !== '' && !/["\\]/.test(value))
    .map(([name = '', value = '']) => `${name}:"${value}"`)
    .join(' ')
}
