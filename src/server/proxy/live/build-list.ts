import { z } from 'zod'
import {
  buildListPath,
  type BuildListQuery,
  readBuildSummary,
} from '../../../protocol/build-data.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { buildsSinceBuildPath, buildsSincePath } from '../../../protocol/build-export.ts'
import { problemError, ProblemError } from '../../../protocol/problem.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import { namedId, type OnLoss, reportLosses } from './build-reader.ts'
import { fetchJson } from './upstream-fetch.ts'

/** Builds of the list, oldest first. */
export interface BuildListPage {
  readonly builds: readonly BuildMessage[]
  /** Elements that were no builds, and were not listed before. */
  readonly malformed: number
}

/** The build list (docs/services.md#build-list), walked forwards. */
export interface BuildList {
  /** A walk from a position on. */
  readonly walk: (start: KnownPosition) => BuildListWalk
}

/** A walk through the list. */
export interface BuildListWalk {
  /**
   * What the list has further on, without what this walk has given; none where that is nothing now. The server
   * may wait up to `waitSecs` (1 to 20) for some to arrive. Throws a ProblemError with the status
   * that the server answered.
   */
  readonly next: (waitSecs: number, signal: AbortSignal) => Promise<BuildListPage>
}

/**
 * Walks the build list of servers of any age. New ones go by `fromBuild`, ones that do not know
 * that build any more by its time, and old ones know only `since` and `maxBuilds`: what worked is
 * kept to. What can't be read is counted and reported once, however often it is listed.
 */
export function createBuildList(client: UpstreamClient, clock: Clock, onLoss: OnLoss): BuildList {
  let isOld = false
  const reported = new Set<string>()

  async function after(
    position: KnownPosition,
    waitSecs: number,
    signal: AbortSignal,
  ): Promise<BuildListPage> {
    const forms = formsOf(position, waitSecs)
    for (const [index, query] of forms.slice(isOld ? -1 : 0).entries()) {
      try {
        const items = await fetchBuildList(client, clock, query, signal)
        const page = decodePage(items, reported, onLoss)
        isOld ||= forms.length > 1 && index === forms.length - 1
        return page
      } catch (error) {
        if (!isUnknown(error) || query === forms.at(-1)) throw error
      }
    }
    return { builds: [], malformed: 0 }
  }

  /** Reports once that an instant may have more builds than were listed; epoch ms. */
  function reportCut(at: number): void {
    const key = `instant ${String(at)}`
    if (reported.has(key)) return
    remember(reported, key)
    const instant = new Date(at).toISOString()
    const reason = `a page of the list has no room for more builds of ${instant}, so some may be missing`
    onLoss({ endpoint: 'GET /api/builds', build: null, field: null, reason })
  }

  return {
    walk: (start) => {
      let position = start
      /** Old servers give the last builds once more, as they count from their time, in any order. */
      const given = new Set(start.kind === 'after' ? [start.id] : [])
      let before: readonly BuildMessage[] = []
      let isRepeating = false
      return {
        next: async (waitSecs, signal) => {
          if (isRepeating) await wait(clock, pauseMs, signal)
          const time = position.kind === 'after' ? position.timestamp : position.at
          let page = await after(position, waitSecs, signal)
          let { malformed } = page
          const isNew = ({ buildId }: BuildMessage): boolean => !given.has(buildId)
          const fresh = page.builds.filter(isNew)
          // Servers that go by time never get past an instant that fills a page.
          if (time !== undefined && page.builds.length > 1 && areSame(page.builds, before)) {
            // Whether an instant is among what was received since then differs.
            for (const at of [time + 1, time + 2]) {
              const further = await after({ kind: 'instant', at }, 1, signal)
              malformed += further.malformed
              fresh.push(...further.builds.filter(isNew))
              for (const { buildId } of further.builds) given.add(buildId)
              if (further.builds.length === 0) break
              page = further
              if (page.builds.some(({ timestamp }) => timestamp > time)) break
            }
            if (page.builds.every(({ timestamp }) => timestamp > time)) reportCut(time)
          }
          const last = page.builds.at(-1)
          if (last === undefined) return { builds: fresh, malformed }
          const isFurther = time === undefined || last.timestamp > time
          if (isFurther) given.clear()
          isRepeating = !isFurther && fresh.length < page.builds.length
          for (const { buildId } of page.builds) given.add(buildId)
          before = page.builds
          position = { kind: 'after', id: last.buildId, timestamp: last.timestamp }
          return { builds: fresh, malformed }
        },
      }
    },
  }
}

/** Before a list is asked again that got no further in time, ms. */
const pauseMs = 1000

function areSame(builds: readonly BuildMessage[], others: readonly BuildMessage[]): boolean {
  return (
    builds.length === others.length &&
    builds.every(({ buildId }, index) => buildId === others[index]?.buildId)
  )
}

/**
 * One request to the build list: its elements, not decoded yet. Throws a ProblemError with the
 * status that the server answered, or 502 where its answer is no list.
 */
export async function fetchBuildList(
  client: UpstreamClient,
  clock: Clock,
  query: BuildListQuery,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const list = z
    .array(z.unknown())
    .safeParse(await fetchJson(client, clock, buildListPath(query), signal))
  if (list.success) return list.data
  throw problemError(
    502,
    'upstream-no-list',
    'Not a build list',
    "The build server's response isn't a list.",
  )
}

const maxBuilds = 1000

/**
 * How a server may be asked, best first. `since` is there for servers that leave out what they do
 * not know; the others prefer the rest.
 */
function formsOf(position: KnownPosition, maxWaitSecs: number): readonly BuildListQuery[] {
  const time = timeBefore(position.kind === 'after' ? position.timestamp : position.at)
  const wait = { maxBuilds, maxWaitSecs }
  const byTime = time === undefined ? [] : [{ fromInstant: time, since: time, ...wait }]
  const plain = time === undefined ? [] : [{ since: time, maxBuilds }]
  return position.kind === 'after'
    ? [
        { fromBuild: position.id, ...(time === undefined ? {} : { since: time }), ...wait },
        ...byTime,
        ...plain,
      ]
    : [...byTime, ...plain]
}

/** Servers differ in whether a build of that very millisecond is among the ones since then. */
function timeBefore(instant: number | undefined): number | undefined {
  return instant === undefined ? undefined : Math.max(0, instant - 1)
}

function isUnknown(error: unknown): boolean {
  return error instanceof ProblemError && (error.status === 400 || error.status === 404)
}

function decodePage(
  items: readonly unknown[],
  reported: Set<string>,
  onLoss: OnLoss,
): BuildListPage {
  const builds: BuildMessage[] = []
  let malformed = 0
  for (const item of items) {
    const read = readBuildSummary(item)
    if (read.ok) builds.push(read.build)
    if (read.ok && read.faults.length === 0) continue
    const key = JSON.stringify(item).slice(0, 1000)
    if (reported.has(key)) continue
    remember(reported, key)
    if (!read.ok) malformed++
    reportLosses(read, namedId(item, 'id'), (loss) => {
      onLoss({ ...loss, endpoint: 'GET /api/builds' })
    })
  }
  return { builds, malformed }
}

function remember(reported: Set<string>, key: string): void {
  reported.add(key)
  if (reported.size > rememberedItems) reported.delete(reported.values().next().value ?? '')
}

const rememberedItems = 1000

/**
 * Up to where an upstream's builds are known.
 * - `instant`: all from an instant on (epoch ms by the upstream's clock) are wanted
 * - `after`: all after a build are wanted; `timestamp` is when that was received, if known
 */
export type KnownPosition =
  | { readonly kind: 'instant'; readonly at: number }
  | { readonly kind: 'after'; readonly id: string; readonly timestamp?: number }

/** The same, or `now`: nothing is known and nothing old is wanted. */
export type UpstreamPosition = KnownPosition | { readonly kind: 'now' }

/** Where the export service continues from a position. */
export function exportPath(position: UpstreamPosition, stream: boolean): string {
  switch (position.kind) {
    case 'now':
      return buildsSincePath('v2', 'now', stream)
    case 'instant':
      return buildsSincePath('v2', position.at, stream)
    case 'after':
      return buildsSinceBuildPath('v2', position.id, stream)
  }
}

/** The operation that continues from a position, to name it. */
export function exportEndpoint(position: UpstreamPosition): string {
  const builds = 'GET /build-export/v2/builds'
  return position.kind === 'after' ? `${builds}/sinceBuild/:buildId` : `${builds}/since/:date`
}
