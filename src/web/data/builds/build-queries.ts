import { queryOptions, skipToken } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { type AroundSource, readAround } from '../../../facts/builds-around.ts'
import {
  attributesModel,
  buildListPath,
  type BuildListQuery,
  buildPath,
  type BuildSummary,
  readListedBuild,
  toolsWithAttributes,
} from '../../../protocol/build-data.ts'
import type { Clock } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { EarlierBuilds, earlierBuildsAt } from '../../../protocol/insight.ts'
import { problemError } from '../../../protocol/problem.ts'
import type { Request } from '../core/request.ts'
import { withTimeLimit } from '../core/response.ts'
import type { ReadFacts } from '../insight/server-insight.ts'
import type { BuildListReader } from './build-list-reader.ts'
import { readerOfQuery } from './split-list.ts'

/** A build with its tool's attributes. Many servers don't offer it: then less is known. It doesn't change. */
export function buildSummaryQuery(request: Request, buildId: string) {
  const path = `/upstream/build-data${buildPath(buildId, toolsWithAttributes.map(attributesModel))}`
  return queryOptions({
    queryKey: ['build-summary', buildId],
    queryFn: async ({ signal }) => {
      const build = readListedBuild(await request(path, z.unknown(), { signal }), () => undefined)
      if (build !== undefined) return build
      throw problemError(
        502,
        'no-build',
        'Not a build',
        "The build server's response isn't a build.",
      )
    },
    staleTime: Infinity,
    retry: false,
  })
}

/** A list that sends nothing for so long is taken for silent, ms. */
const longestListMs = 12_000

/**
 * Builds around one (facts/builds-around.ts). Nothing is requested while it isn't known around which build.
 */
export function buildsAroundQuery(
  {
    request,
    readFacts,
    clock,
  }: { readonly request: Request; readonly readFacts: ReadFacts; readonly clock: Clock },
  build: Facts | undefined,
  wanted: (build: Facts) => BuildListQuery,
) {
  const list = build && wanted(build)
  const source = (signal: AbortSignal): AroundSource => ({
    list: (query) =>
      withTimeLimit(clock, longestListMs, signal, (either) =>
        request(`/upstream/build-data${buildListPath(query)}`, z.array(z.unknown()), {
          signal: either,
        }),
      ),
    earlier: async (before, most) =>
      (await request(earlierBuildsAt(before, most), EarlierBuilds, { signal })).builds,
    readFacts: (buildIds) => readFacts(buildIds, signal),
  })

  return queryOptions({
    queryKey: ['builds-around', build?.buildId, list],
    queryFn:
      build === undefined || list === undefined
        ? skipToken
        : ({ signal }) => readAround(build, list, source(signal)),
    staleTime: Infinity,
    retry: false,
  })
}

/** Above this it would take too many pages only for a number. */
const mostCounted = 5000
const pageSize = 1000

/**
 * How many builds match a query that the server searches for; null where they are more than 5,000.
 * No attributes are requested. A server that is too slow or too busy is left alone: the
 * number can be done without.
 */
export function buildCountQuery(lists: BuildListReader, query: string) {
  return queryOptions({
    queryKey: ['build-count', query],
    queryFn: async ({ signal }): Promise<number | null> => {
      const reader = readerOfQuery(lists, query)
      const seen = new Set<string>()
      let after: BuildSummary | undefined
      while (seen.size <= mostCounted) {
        const wanted = { query, after, max: pageSize, withAttributes: false }
        const answer = await reader.page(wanted, signal)
        if (!answer.ok) throw answer.refusal
        const before = seen.size
        for (const { id } of answer.page.builds) seen.add(id)
        if (seen.size === before) return before
        after = answer.page.builds.at(-1)
      }
      return null
    },
    staleTime: Infinity,
    gcTime: 300_000,
    retry: false,
  })
}

/** Whether the server searches, tried with this query, so that its counts are true. Throws a ProblemError. */
export function searchAbilityQuery(reader: BuildListReader, query: string) {
  return queryOptions({
    queryKey: ['search-ability', query],
    queryFn: async ({ signal }): Promise<boolean> => {
      const wanted = { query, after: undefined, max: 1, withAttributes: false }
      const answer = await reader.page(wanted, signal)
      if (!answer.ok) throw answer.refusal
      return answer.ability.search === 'yes'
    },
    staleTime: Infinity,
    gcTime: 300_000,
    retry: false,
  })
}
