import { queryOptions } from '@tanstack/react-query'
import type * as z from 'zod/mini'
import type { Clock } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import {
  type BuildGrouping,
  BuildGroups,
  BuildTrends,
  CachesLine,
  cachesPath,
  FactsLine,
  factsPath,
  FailuresLine,
  failuresPath,
} from '../../../protocol/insight.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { attempts, isBusy } from '../core/attempts.ts'
import { readJsonParts } from '../core/json-parts.ts'
import type { Request, StreamedRequest } from '../core/request.ts'

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
      : { from: timeText(Math.floor(range.from)), to: timeText(Math.ceil(range.to)) }),
  }
  return queryOptions({
    queryKey: ['server-trends', query, by ?? '', range ?? null],
    queryFn: ({ signal }) => ask('trends', search, BuildTrends, signal),
    staleTime: staleMs,
    retry: false,
  })
}

/** A time as the server takes it: nothing was built before 1970. */
function timeText(time: number): string {
  return String(Math.max(0, time))
}

/** What is known of why one build failed, or why nothing is. */
export type FailureFinding = Pick<FailuresLine, 'buildId' | 'failures' | 'problem'>

/** What of one build came from the build cache, or why that isn't known. */
export type CacheFinding = Pick<CachesLine, 'buildId' | 'cache' | 'problem'>

/** Reads something of each of these builds; what was read is reported as it comes. Throws a ProblemError. */
export type ReadBuilds<Finding> = (
  buildIds: readonly string[],
  options: {
    readonly signal: AbortSignal
    readonly onFindings: (findings: readonly Finding[]) => void
    /** The server was busy; requested again at `until`, epoch ms. */
    readonly onWait: (wait: { readonly problem: ProblemError; readonly until: number }) => void
  },
) => Promise<void>

export type ReadFailures = ReadBuilds<FailureFinding>
export type ReadCaches = ReadBuilds<CacheFinding>
/** The facts of builds by their events, without those unreadable or missing after 5 silent seconds. Throws a ProblemError. */
export type ReadFacts = (
  buildIds: readonly string[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, Facts>>

/** Attempts in a row at a request that is refused because the server is busy. */
const mostAttempts = 6

interface ReadOptions {
  readonly send: StreamedRequest
  readonly clock: Clock
  readonly random: () => number
}

/** Requests them from the proxy, which keeps what it has read. */
export function createReadFailures(options: ReadOptions): ReadFailures {
  return createReadBuilds(failuresPath, FailuresLine, options)
}

/** The same of what came from the build cache. */
export function createReadCaches(options: ReadOptions): ReadCaches {
  return createReadBuilds(cachesPath, CachesLine, options)
}

/** The same of what builds' events say, where the list says nothing. */
export function createReadFacts(options: ReadOptions): ReadFacts {
  const read = createReadBuilds(factsPath, FactsLine, options)
  return async (buildIds, signal) => {
    const known = new Map<string, Facts>()
    const own = new AbortController()
    const end = (): void => {
      own.abort()
    }
    signal.addEventListener('abort', end)
    let cancel = options.clock.after(longestSilenceMs, end)
    try {
      await read(buildIds, {
        signal: own.signal,
        onFindings: (lines) => {
          cancel()
          cancel = options.clock.after(longestSilenceMs, end)
          for (const { buildId, facts } of lines) if (facts !== undefined) known.set(buildId, facts)
        },
        onWait: () => undefined,
      })
    } catch (error) {
      if (signal.aborted || !own.signal.aborted) throw error
    } finally {
      cancel()
      signal.removeEventListener('abort', end)
    }
    return known
  }
}

/** What is known of the others is worth showing meanwhile. */
const longestSilenceMs = 5000

function createReadBuilds<Line>(
  path: string,
  schema: z.ZodMiniType<Line>,
  { send, clock, random }: ReadOptions,
): ReadBuilds<Line> {
  return async (buildIds, { signal, onFindings, onWait }) => {
    const options = { clock, random, signal, most: mostAttempts, mayRetry: isBusy, onWait }
    const response = await attempts(() => send(path, { buildIds }, signal), options)
    for await (const part of readJsonParts(response)) {
      onFindings(part.flatMap((value) => schema.safeParse(value).data ?? []))
    }
  }
}
