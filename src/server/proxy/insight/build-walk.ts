import { backOffMs } from '../../../protocol/back-off.ts'
import {
  type BuildListQuery,
  type BuildSummary,
  readListedBuild,
  toBuildSummary,
} from '../../../protocol/build-data.ts'
import { buildsSincePath } from '../../../protocol/build-export.ts'
import { readBuildMessage } from '../../../protocol/build-message.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { isRetryable, ProblemError } from '../../../protocol/problem.ts'
import { createSseReader } from '../../../protocol/sse.ts'
import { fetchBuildList } from '../live/build-list.ts'
import { createWatchdog, fetchUpstream, plainBody } from '../live/upstream-fetch.ts'
import type { SearchList } from '../shared-search/shared-search-list.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'

/** Builds of the list that no page before had, the newest first. */
export interface WalkedBuilds {
  readonly builds: readonly BuildSummary[]
  /** Whether they are those that the query finds: else the server doesn't search, and they are any. */
  readonly searched: boolean
}

/** Walks the build list backwards in time. */
export interface BuildWalk {
  /**
   * The builds of a query (as `readSharedQuery` writes it), page by page until they end or nobody
   * takes more. Throws a ProblemError with the status that the server answered, after some attempts
   * where it was busy.
   */
  readonly newest: (
    query: string,
    signal: AbortSignal,
  ) => AsyncGenerator<WalkedBuilds, void, undefined>
}

interface WalkOptions {
  readonly client: UpstreamClient
  readonly list: Pick<SearchList, 'page'>
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
}

/**
 * A walk through the lists of servers of any age: by query where the server searches, backwards where
 * it can, and where all that it knows is `since` (docs/services.md#build-list) by stretches of time
 * that begin earlier and earlier. A server without a list has the same stretches in its export stream.
 */
export function createBuildWalk({ client, list, clock, random }: WalkOptions): BuildWalk {
  let hasList = true

  async function patiently<Value>(task: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
    for (let failures = 1; ; failures++) {
      try {
        return await task()
      } catch (error) {
        const isWorth = error instanceof ProblemError && isRetryable(error.status)
        if (!isWorth || signal.aborted || failures === mostAttempts) throw error
        const { retryAfterMs } = error
        await wait(clock, backOffMs({ failures, retryMs: undefined, retryAfterMs, random }), signal)
      }
    }
  }

  async function page(question: BuildListQuery, signal: AbortSignal) {
    const items = await patiently(() => fetchBuildList(client, clock, question, signal), signal)
    return items.flatMap((item) => readListedBuild(item, () => undefined) ?? [])
  }

  /** What the export stream has from a time on, epoch ms, oldest first. */
  async function exported(since: number, signal: AbortSignal): Promise<BuildSummary[]> {
    const watchdog = createWatchdog(clock, idleMs, signal)
    const found: BuildSummary[] = []
    const reader = createSseReader({
      onMessage: ({ event, data }) => {
        if (event === 'Build') found.push(...announced(data))
      },
    })
    try {
      const response = await fetchUpstream(client, clock, {
        path: buildsSincePath('v2', since, false),
        accept: 'text/event-stream',
        signal: watchdog.signal,
      })
      for await (const bytes of response === undefined ? [] : plainBody(response)) {
        watchdog.feed()
        reader.feed(bytes)
      }
      return found
    } finally {
      watchdog.stop()
    }
  }

  /** Undefined where the server begins with the oldest, or with nothing, whatever it is sent. */
  async function backwardPage(after: string | undefined, signal: AbortSignal) {
    const from = after === undefined ? {} : { fromBuild: after }
    try {
      const builds = await page({ reverse: true, maxBuilds: pageSize, ...from }, signal)
      hasList = true
      // Some list nothing at all where no time is named.
      const isSure = builds.length > 0 || after !== undefined
      if (!isSure && (await page({ since: 0, maxBuilds: 1 }, signal)).length > 0) return undefined
      const [first, last] = [builds.at(0), builds.at(-1)]
      return (first?.availableAt ?? 0) < (last?.availableAt ?? 0) ? undefined : builds
    } catch (error) {
      if (!(error instanceof ProblemError) || ![400, 404].includes(error.status)) throw error
      hasList = error.status === 400
      return undefined
    }
  }

  /** All builds from one time up to another, epoch ms, the newest first. */
  async function stretch(from: number, to: number, signal: AbortSignal): Promise<BuildSummary[]> {
    const found = new Map<string, BuildSummary>()
    for (let since = from; !signal.aborted;) {
      const builds = hasList
        ? await page({ since, maxBuilds: longestPage }, signal)
        : await patiently(() => exported(since, signal), signal)
      const fresh = builds.filter(({ id }) => !found.has(id))
      for (const build of fresh) if (build.availableAt < to) found.set(build.id, build)
      const last = builds.at(-1)?.availableAt ?? to
      if (!hasList || last >= to || !fresh.some(({ id }) => found.has(id))) break
      // Whether `since` includes its instant is unspecified.
      since = Math.max(0, last - 1)
    }
    return [...found.values()].reverse()
  }

  async function* byStretches(
    signal: AbortSignal,
  ): AsyncGenerator<BuildSummary[], void, undefined> {
    let to = Infinity
    for (let from = clock.now() - firstStretchMs, width = firstStretchMs; to > 0; width *= 4) {
      const builds = await stretch(Math.max(0, from), to, signal)
      if (signal.aborted) return
      yield builds
      to = Math.max(0, from)
      from = to - width
    }
  }

  async function* unsearched(signal: AbortSignal): AsyncGenerator<BuildSummary[], void, undefined> {
    for (let after: string | undefined; !signal.aborted;) {
      const builds = await backwardPage(after, signal)
      if (builds === undefined) {
        yield* byStretches(signal)
        return
      }
      yield builds
      const last = builds.at(-1)?.id
      if (last === undefined || last === after) return
      after = last
    }
  }

  return {
    newest: async function* (query, signal) {
      const seen = new Set<string>()
      const unseen = (builds: readonly BuildSummary[]): BuildSummary[] => {
        const fresh = builds.filter(({ id }) => !seen.has(id))
        for (const { id } of fresh) seen.add(id)
        return fresh
      }
      for (let after: string | undefined; !signal.aborted;) {
        const from = after === undefined ? {} : { fromBuild: after }
        const found = await patiently(
          () => list.page(query, { maxBuilds: pageSize, ...from }, signal),
          signal,
        )
        if (found === 'unsupported') break
        const builds = unseen(found)
        yield { builds, searched: true }
        after = builds.at(-1)?.id
        if (after === undefined) return
      }
      for await (const builds of unsearched(signal)) {
        const fresh = unseen(builds)
        // A server that repeats itself has no more.
        if (builds.length > 0 && fresh.length === 0) return
        yield { builds: fresh, searched: query === '' }
      }
    },
  }
}

/** None where the message can't be read. */
function announced(text: string): BuildSummary[] {
  try {
    const read = readBuildMessage(JSON.parse(text))
    return read.ok ? [toBuildSummary(read.build)] : []
  } catch {
    return []
  }
}

const idleMs = 30_000
const pageSize = 100
const longestPage = 1_000
const mostAttempts = 3
const firstStretchMs = 60 * 60 * 1_000
