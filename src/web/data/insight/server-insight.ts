import { queryOptions } from '@tanstack/react-query'
import type * as z from 'zod/mini'
import { type BuildGrouping, BuildGroups, BuildTrends } from '../../../protocol/insight.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import type { Request } from '../core/request.ts'

/**
 * The optional operations of a build server that groups builds by itself
 * (docs/services.md#build-groups). Undefined where it doesn't have them, or not for this query: then
 * the list is folded here. A server without them is found out once a session.
 */
export interface ServerInsight {
  readonly groups: (query: GroupsQuery) => ReturnType<typeof groupsOptions>
  readonly trends: (query: TrendsQuery) => ReturnType<typeof trendsOptions>
}

/** In the search language, as the server is to get it; empty for all builds. */
export interface GroupsQuery {
  readonly query: string
  readonly by: BuildGrouping
}

/** Builds that started from `from` up to `to`, epoch ms; of all times without them. */
export interface TrendsQuery {
  readonly query: string
  readonly by: 'project' | 'branch' | undefined
  readonly range: { readonly from: number; readonly to: number } | undefined
}

type Ask = <S extends z.ZodMiniType>(
  operation: 'groups' | 'trends',
  search: Readonly<Record<string, string>>,
  schema: S,
  signal: AbortSignal,
) => Promise<z.output<S> | null>

/** What is counted anew so often, ms, where it is looked at again. */
const staleMs = 60_000

/** Learns from the first answers whether the server has them. */
export function createServerInsight(request: Request): ServerInsight {
  const isAbsent = { groups: false, trends: false }

  const ask: Ask = async (operation, search, schema, signal) => {
    if (isAbsent[operation]) return null
    const path = `/upstream/build-data/api/builds/${operation}?${new URLSearchParams(search).toString()}`
    try {
      return await request(path, schema, { signal })
    } catch (error) {
      if (signal.aborted || !(error instanceof ProblemError)) throw error
      if (isAbsence(error)) isAbsent[operation] = true
      return null
    }
  }

  return {
    groups: (query) => groupsOptions(ask, query),
    trends: (query) => trendsOptions(ask, query),
  }
}

/** No such operation, or an answer of another kind; a server that is busy or away may have it. */
function isAbsence({ status, problem: { type } }: ProblemError): boolean {
  return (
    [404, 405, 406, 501].includes(status) ||
    /:(?:unreadable-answer|upstream-(?:answer|redirect|auth))$/.test(type)
  )
}

function groupsOptions(ask: Ask, { query, by }: GroupsQuery) {
  return queryOptions({
    queryKey: ['server-groups', query, by],
    queryFn: ({ signal }) => ask('groups', { query, by }, BuildGroups, signal),
    staleTime: staleMs,
    retry: false,
  })
}

function trendsOptions(ask: Ask, { query, by, range }: TrendsQuery) {
  const search = {
    query,
    ...(by === undefined ? {} : { by }),
    ...(range === undefined
      ? {}
      : { from: String(Math.floor(range.from)), to: String(Math.ceil(range.to)) }),
  }
  return queryOptions({
    queryKey: ['server-trends', query, by ?? '', range ?? null],
    queryFn: ({ signal }) => ask('trends', search, BuildTrends, signal),
    staleTime: staleMs,
    retry: false,
  })
}
