import { z } from 'zod'
import {
  buildListPath,
  type BuildListQuery,
  readBuildSummary,
} from '../../../protocol/build-data.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'
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
  /**
   * What the list has after a position; may begin with builds that were given before. The server
   * may wait up to `waitSecs` (1 to 20) for some to arrive. Throws a ProblemError with the status
   * that the server answered.
   */
  readonly after: (
    position: KnownPosition,
    waitSecs: number,
    signal: AbortSignal,
  ) => Promise<BuildListPage>
}

/**
 * Walks the build list of servers of any age. New ones go by `fromBuild`, ones that do not know
 * that build any more by its time, and old ones know only `since` and `maxBuilds`: what worked is
 * kept to. What can't be read is counted and reported once, however often it is listed.
 */
export function createBuildList(client: UpstreamClient, clock: Clock, onLoss: OnLoss): BuildList {
  let isOld = false
  const reported = new Set<string>()
  return {
    after: async (position, waitSecs, signal) => {
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
    },
  }
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
    reported.add(key)
    if (reported.size > rememberedItems) reported.delete(reported.values().next().value ?? '')
    if (!read.ok) malformed++
    reportLosses(read, namedId(item, 'id'), (loss) => {
      onLoss({ ...loss, endpoint: 'GET /api/builds' })
    })
  }
  return { builds, malformed }
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
