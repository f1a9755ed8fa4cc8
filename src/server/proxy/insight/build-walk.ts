import * as z from 'zod/mini'
import { backOffMs } from '../../../protocol/back-off.ts'
import {
  type BuildListQuery,
  type BuildSummary,
  isAscending,
  readListedBuild,
  toBuildSummary,
} from '../../../protocol/build-data.ts'
import { buildsSincePath } from '../../../protocol/build-export.ts'
import { EpochMs } from '../../../protocol/build-message.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import type { EarlierBuilds } from '../../../protocol/insight.ts'
import { isRetryable, ProblemError, problemError } from '../../../protocol/problem.ts'
import { fetchBuildList } from '../live/build-list.ts'
import { createBuildReader } from '../live/build-reader.ts'
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
  /**
   * The newest builds that were received before a time (epoch ms; undefined: until now), whatever the
   * server can: `most` of them, and those that share the time of the last. Throws as `newest`.
   */
  readonly earlier: (
    before: number | undefined,
    most: number,
    signal: AbortSignal,
  ) => Promise<EarlierBuilds>
  /** Whether the server was too busy for somebody's request, which is made again soon. */
  readonly isBusy: () => boolean
  /** Whether builds are read from the export stream, as there is no list that may be read or responds. */
  readonly isExported: () => boolean
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
  /** How dense the builds of the last answer were. */
  let msPerBuild = Infinity
  /** Until then, epoch ms, the server is taken to have no list, or none that may be read, or that responds. */
  let exportUntil = -Infinity
  /** What the list answered then. */
  let missing: ProblemError | undefined
  /** When the last of the requests that it was too busy for is made again, epoch ms. */
  let busyUntil = -Infinity
  /** When the list responded last, epoch ms. */
  let heardAt = -Infinity

  const hasNoList = (error: unknown): boolean => {
    const isMissing =
      error instanceof ProblemError &&
      ([403, 404, 405, 501].includes(error.status) ||
        // Where it listed builds before, no other request is accepted either.
        (error.status === 401 && heardAt === -Infinity) ||
        error.problem.type.endsWith(silentList))
    if (isMissing) {
      exportUntil = clock.now() + lookAgainMs
      missing = error
    }
    return isMissing
  }

  async function patiently<Value>(task: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
    for (let failures = 1; ; failures++) {
      try {
        return await task()
      } catch (error) {
        const isWorth =
          error instanceof ProblemError &&
          isRetryable(error.status) &&
          !error.problem.type.endsWith(silentList)
        if (!isWorth || signal.aborted || failures === mostAttempts) throw error
        const { status, retryAfterMs } = error
        const ms = backOffMs({ failures, retryMs: undefined, retryAfterMs, random })
        if (status === 429 || status === 503) busyUntil = Math.max(busyUntil, clock.now() + ms)
        await wait(clock, ms, signal)
      }
    }
  }

  /** Undefined where it takes longer. */
  async function within<Value>(
    ms: number,
    task: (signal: AbortSignal) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value | undefined> {
    const watchdog = createWatchdog(clock, ms, signal)
    try {
      const value = await task(watchdog.signal)
      heardAt = clock.now()
      return value
    } catch (error) {
      if (!watchdog.barked()) throw error
      return undefined
    } finally {
      watchdog.stop()
    }
  }

  /** A list of which even one build doesn't come is no slow one: throws that it is silent. */
  async function unlessSilent<Value extends object | string>(
    task: (signal: AbortSignal) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    if (clock.now() - heardAt > knownMs) {
      const soon = await within(slowMs, task, signal)
      if (soon !== undefined) return soon
      const one = { since: clock.now(), maxBuilds: 1 }
      const probe = (limit: AbortSignal) => fetchBuildList(client, clock, one, limit)
      if ((await within(probeMs, probe, signal)) === undefined) throw silence()
    }
    const value = await task(signal)
    heardAt = clock.now()
    return value
  }

  function fetchPage(question: BuildListQuery, signal: AbortSignal): Promise<readonly unknown[]> {
    return patiently(
      () => unlessSilent((either) => fetchBuildList(client, clock, question, either), signal),
      signal,
    )
  }

  async function page(question: BuildListQuery, signal: AbortSignal): Promise<BuildSummary[]> {
    return (await fetchPage(question, signal)).flatMap((item) => readBuild(item) ?? [])
  }

  /** What the export stream has from one time up to another at least, epoch ms, oldest first. */
  async function exported(
    since: number,
    to: number,
    signal: AbortSignal,
  ): Promise<readonly Listed[]> {
    const watchdog = createWatchdog(clock, idleMs, signal)
    const found: Listed[] = []
    const reader = createBuildReader({
      onBuild: (build) => {
        found.push({ key: build.buildId, at: build.timestamp, build: toBuildSummary(build) })
      },
      onMalformed: () => {
        const at = found.at(-1)?.at ?? since
        found.push({ key: `malformed ${since} ${found.length}`, at, build: undefined })
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
        if ((found.at(-1)?.at ?? 0) < to) continue
        response?.cancel()
        return found
      }
      if (reader.isAtBorder()) return found
      throw incomplete('The build server closed the connection in the middle of a build.')
    } catch (error) {
      if (watchdog.barked()) throw incomplete('The build server stopped responding.')
      // A time in the future by the server's clock is refused: nothing came since.
      if (error instanceof ProblemError && error.status === 400) return []
      if (!(error instanceof ProblemError) || isRetryable(error.status)) throw error
      // No help either: the list is asked again next time, and what it answered is said.
      exportUntil = -Infinity
      throw missing ?? error
    } finally {
      watchdog.stop()
    }
  }

  /** Undefined where the server begins with the oldest, or with nothing, whatever it is sent. */
  async function backwardPage(after: string | undefined, signal: AbortSignal) {
    const from = after === undefined ? {} : { fromBuild: after }
    try {
      const ask = () => page({ reverse: true, maxBuilds: pageSize, ...from }, signal)
      const builds = await ask()
      // Some list nothing at all where no time is named.
      const isSure = builds.length > 0 || after !== undefined
      if (!isSure && (await page({ since: 0, maxBuilds: 1 }, signal)).length > 0) return undefined
      const since = (time: number) =>
        after === undefined ? page({ since: time, maxBuilds: 1 }, signal) : none
      return (await isAscending(builds, { since, again: ask })) ? undefined : builds
    } catch (error) {
      if (hasNoList(error) || (error instanceof ProblemError && error.status === 400)) {
        return undefined
      }
      throw error
    }
  }

  /** A page of the list from a time on, oldest first; undefined where there is no list. */
  async function listed(
    since: number,
    signal: AbortSignal,
  ): Promise<readonly Listed[] | undefined> {
    if (clock.now() < exportUntil) return undefined
    try {
      return withTimes(await fetchPage({ since, maxBuilds: longestPage }, signal))
    } catch (error) {
      if (hasNoList(error)) return undefined
      throw error
    }
  }

  /**
   * All builds from one time up to another, epoch ms, the newest first. Where a list seems to have many pages
   * of them: the two that were read, and the time in the middle of what follows. `read` are such pages.
   */
  async function stretch(
    from: number,
    to: number,
    signal: AbortSignal,
    read: readonly Listed[] = [],
  ): Promise<Stretch | CrowdedStretch> {
    /** By id, and what is no build by its text. */
    const found = new Map<string, Listed>()
    const keep = (listed: readonly Listed[]): readonly Listed[] => {
      const fresh = listed.filter(({ key, at }) => !found.has(key) && at >= from && at < to)
      for (const one of fresh) found.set(one.key, one)
      return fresh
    }
    const crowd = (): CrowdedStretch | undefined => {
      const all = [...found.values()]
      const last = all.at(-1)?.at ?? to
      const restMs = Math.min(to, clock.now()) - last
      const isCrowded = restMs > shortestRestMs && (last - (all[0]?.at ?? last)) * fewTimes < restMs
      return isCrowded ? { read: all, middle: Math.ceil(last + restMs / 2) } : undefined
    }
    keep(read)
    const known = crowd()
    if (known !== undefined) return known
    let source: Stretch['source'] = 'list'
    let longest = 0
    let isStuck = false
    // Whether `since` includes its instant is unspecified.
    for (let since = Math.max(0, (read.at(-1)?.at ?? from) - 1); !signal.aborted;) {
      const page = isStuck ? undefined : await listed(since, signal)
      source = page === undefined && !isStuck ? 'export' : 'list'
      const all = page ?? (await patiently(() => exported(since, to, signal), signal))
      const isFirst = found.size === 0
      const fresh = keep(all)
      const last = all.at(-1)?.at ?? to
      if (page === undefined || last >= to) break
      if (fresh.length > 0) {
        since = Math.max(0, last - 1)
        longest = Math.max(longest, page.length)
        const crowded = isFirst ? undefined : crowd()
        if (crowded !== undefined) return crowded
      } else if (page.length > 1 && page.length >= longest) {
        // An instant may have more builds than the list gives at once: the export stream has them.
        isStuck = true
      } else break
    }
    return { listed: [...found.values()].reverse(), source }
  }

  /** A stretch, or, where it is crowded, its parts: the newest ones come first, not after all the others. */
  async function* parts(
    from: number,
    to: number,
    signal: AbortSignal,
    read?: readonly Listed[],
  ): AsyncGenerator<Stretch, void, undefined> {
    const found = await stretch(from, to, signal, read)
    if (signal.aborted) return
    if ('listed' in found) {
      yield found
      return
    }
    yield* parts(found.middle, to, signal)
    yield* parts(from, found.middle, signal, found.read)
  }

  /** When the oldest builds were received, epoch ms, by the first of the list; Infinity where there are none. */
  async function oldestAt(signal: AbortSignal): Promise<number> {
    // Up to 1: a stream may have sent nothing yet, or no build, and `exported` reads on up to a build of that time.
    const first =
      (await listed(0, signal)) ?? (await patiently(() => exported(0, 1, signal), signal))
    return Math.min(...first.map(({ at }) => at))
  }

  /** Stretches of time that begin earlier and earlier, from one of `firstMs` that ends at `before`. */
  async function* byStretches(
    before: number | undefined,
    firstMs: number,
    signal: AbortSignal,
  ): AsyncGenerator<Stretch, void, undefined> {
    let to = before ?? Infinity
    let from = (before ?? clock.now()) - firstMs
    let oldest: number | undefined
    for (let width = firstMs; to > 0; width *= 4) {
      let isEmpty = true
      for await (const part of parts(Math.max(0, from), to, signal)) {
        isEmpty &&= part.listed.length === 0
        yield part
      }
      if (signal.aborted) return
      to = Math.max(0, from)
      // Each look at a stretch without builds is a long page of newer ones.
      if (isEmpty) oldest ??= await oldestAt(signal)
      if (oldest !== undefined && to <= oldest) return
      from = to - width
    }
  }

  async function* unsearched(
    signal: AbortSignal,
  ): AsyncGenerator<readonly BuildSummary[], void, undefined> {
    for (let after: string | undefined; !signal.aborted;) {
      const builds = await backwardPage(after, signal)
      if (builds === undefined) {
        const stretches = byStretches(undefined, longestFirstMs, signal)
        for await (const { listed } of stretches) yield buildsOf(listed)
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
      // All builds are listed by servers that don't search, too: whether this one does needn't be found out first.
      for (let after: string | undefined; query !== '' && !signal.aborted;) {
        const from = after === undefined ? {} : { fromBuild: after }
        const found = await patiently(
          () =>
            unlessSilent(
              (either) => list.page(query, { maxBuilds: pageSize, ...from }, either),
              signal,
            ),
          signal,
        ).catch((error: unknown) => {
          if (hasNoList(error)) return 'unsupported' as const
          throw error
        })
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
    earlier: async (before, most, signal) => {
      const listed: Listed[] = []
      let source: Stretch['source'] = 'list'
      let last = -Infinity
      const firstMs = Math.min(
        longestFirstMs,
        Math.max(shortestFirstMs, Math.ceil(2 * most * msPerBuild)),
      )
      for await (const part of byStretches(before, firstMs, signal)) {
        listed.push(...part.listed)
        source = part.source
        last = buildsOf(listed)[most - 1]?.availableAt ?? -Infinity
        if (last > -Infinity) break
      }
      const given = listed.filter(({ at }) => at >= last)
      const builds = buildsOf(given)
      const [newest, oldest] = [builds.at(0), builds.at(-1)]
      if (newest !== undefined && oldest !== undefined) {
        msPerBuild = (newest.availableAt - oldest.availableAt) / builds.length
      }
      return { builds, malformed: given.length - builds.length, source }
    },
    isBusy: () => clock.now() < busyUntil,
    isExported: () => clock.now() < exportUntil,
  }
}

/** An element of the list, at its time, epoch ms, or at that of the one before it. */
interface Listed {
  readonly key: string
  readonly at: number
  /** Undefined where it is no build. */
  readonly build: BuildSummary | undefined
}

/** The newest first. */
interface Stretch {
  readonly listed: readonly Listed[]
  readonly source: EarlierBuilds['source']
}

/** A list has many more builds up to its end than the oldest of them, which were read. */
interface CrowdedStretch {
  readonly read: readonly Listed[]
  readonly middle: number
}

function buildsOf(listed: readonly Listed[]): BuildSummary[] {
  return listed.flatMap(({ build }) => build ?? [])
}

function readBuild(item: unknown): BuildSummary | undefined {
  return readListedBuild(item, () => undefined)
}

function withTimes(items: readonly unknown[]): Listed[] {
  let at = 0
  return items.map((item) => {
    const build = readBuild(item)
    at = build?.availableAt ?? Timed.safeParse(item).data?.availableAt ?? at
    return { key: build?.id ?? JSON.stringify(item), at, build }
  })
}

const Timed = z.looseObject({ availableAt: EpochMs })

function incomplete(sentence: string): ProblemError {
  return problemError(502, 'export-cut', 'Incomplete response', sentence)
}

function silence(): ProblemError {
  const sentence = "The build server's list of builds doesn't respond."
  return problemError(504, silentList, 'No response', sentence)
}

/** What isn't asked for. */
const none = Promise.resolve([])
const silentList = 'silent-list'
/** So long a list that responded counts as there; then a page may take so long, and the probe for one build, ms. */
const [knownMs, slowMs, probeMs] = [60_000, 8000, 4000]
const idleMs = 30_000
const pageSize = 100
const longestPage = 1_000
const mostAttempts = 3
/** Crowded is a stretch whose rest is that many times as long as what two or more pages had. */
const fewTimes = 3
const shortestRestMs = 100
/** The first stretch; shorter where builds are so dense that it would have many more than are wanted. */
const longestFirstMs = 5 * 60 * 1_000
const shortestFirstMs = 1_000
/** A server whose list is missing may only just be starting, and a permission is soon granted. */
const lookAgainMs = 5 * 60 * 1_000
