import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { branchOf } from '../../../facts/failure-streak.ts'
import {
  attributesModel,
  buildListPath,
  buildPath,
  BuildSummary,
  toBuildMessage,
  toolsWithAttributes,
} from '../../../protocol/build-data.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import type { Request } from '../core/request.ts'
import { type BuildListReader, isTooLong } from './build-list-reader.ts'

/**
 * A build with the attributes of its tool, from the build data API. Many servers do not offer it, or
 * not to everybody: its failure only means that less is known. A build does not change.
 */
export function buildSummaryQuery(request: Request, buildId: string) {
  const path = `/upstream/build-data${buildPath(buildId, toolsWithAttributes.map(attributesModel))}`
  return queryOptions({
    queryKey: ['build-summary', buildId],
    queryFn: ({ signal }) => request(path, BuildSummary, { signal }),
    staleTime: Infinity,
    retry: false,
  })
}

/** As many builds before one as show how long its project and branch have been failing. */
const mostBuilds = 50

/**
 * Builds of the same project and branch that were received before this one, the newest first, from
 * the build data API. A server that cannot search gives any builds: the caller looks for the
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

/** A project and a branch fit into one URL. */
const longestValue = 3000

/** In docs/services.md#advanced-search-syntax; a name that is too long, or has a quote in it, is left to the reader. */
function searchFor(build: Facts): string {
  const terms = [
    ['project', build.project ?? ''],
    ['buildTool', build.buildTool],
  ]
  const branch = branchOf(build)
  if (branch !== undefined) terms.push(['value', `Git branch=${branch}`])
  return terms
    .filter(
      ([, value = '']) => value !== '' && !/["\\]/.test(value) && !isTooLong(value, longestValue),
    )
    .map(([name = '', value = '']) => `${name}:"${value}"`)
    .join(' ')
}

/** Above this it would take too many pages only for a number. */
const mostCounted = 5000
const pageSize = 1000

/**
 * How many builds match a query that the server searches for; null where they are more than 5,000.
 * No attributes are requested. A server that is too slow or too busy is left alone: the
 * number can be done without.
 */
export function buildCountQuery(reader: BuildListReader, query: string) {
  return queryOptions({
    queryKey: ['build-count', query],
    queryFn: async ({ signal }): Promise<number | null> => {
      const seen = new Set<string>()
      let after: BuildSummary | undefined
      while (seen.size <= mostCounted) {
        const wanted = { query, after, from: undefined, max: pageSize, withAttributes: false }
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

/**
 * Whether the build server searches by itself, so that what it counts for a query is true; tried
 * with that query. Throws a ProblemError for one that the server refuses.
 */
export function searchAbilityQuery(reader: BuildListReader, query: string) {
  return queryOptions({
    queryKey: ['search-ability', query],
    queryFn: async ({ signal }): Promise<boolean> => {
      const wanted = { query, after: undefined, from: undefined, max: 1, withAttributes: false }
      const answer = await reader.page(wanted, signal)
      if (!answer.ok) throw answer.refusal
      const { search, order } = answer.ability
      return search === 'yes' && order === 'newest-first'
    },
    staleTime: Infinity,
    gcTime: 300_000,
    retry: false,
  })
}
