import { countOf, countText } from '../../../protocol/count.ts'
import { connectionSentence, isUnanswered } from '../../data/live/connection-sentence.ts'
import type { FeedSnapshot, FeedView } from '../../data/live/feed-state.ts'
import { agoText } from '../../ui/format.ts'
import { outcomeOf } from './filter.ts'
import { allRows, type RowList } from './row-list.ts'

/** What the sentence is about: the rows that are shown, newest first. */
export interface ShownRows {
  readonly rows: Pick<RowList, 'count' | 'arrivalAt'>
  /** What they are where a filter or a query keeps others back; of some it may be unknown whether they match. */
  readonly narrowed: 'matching' | 'possibly matching' | undefined
}

/**
 * The answer of the page in one sentence, true at `now` (epoch ms, this browser's clock) of the rows
 * that are shown: what the last minute brought, or, where that is unknown, how old they are.
 */
export function feedSentence(
  view: FeedView,
  now: number,
  { rows, narrowed }: ShownRows = {
    rows: allRows(view.oldest, view.newest),
    narrowed: undefined,
  },
): string {
  const { connection } = view
  const serverNow = now + view.clockDifference
  const isCurrent = isUpToDate(view, now)
  if (connection.state === 'catching-up' && !isUpstreamLost(view, now)) {
    if (isUnanswered(view)) return 'Connecting to the build server.'
    const { left, received } = connection
    if (left !== undefined) return `Catching up, about ${countText(left)} to go.`
    return received === 0 ? 'Catching up.' : `Catching up, ${countOf(received, 'build')} so far.`
  }
  if (view.newest < view.oldest) return withoutBuilds(view, now)
  const newest = view.row(rows.arrivalAt(0) ?? 0)
  if (newest === undefined) {
    return isCurrent ? 'No builds match.' : 'Not up to date. No builds match so far.'
  }
  const ago = agoText(serverNow - newest.build.timestamp)
  if (!isCurrent) return `Not up to date: the newest build shown arrived ${ago}.`
  const { builds, failed, unknown, busiest } = lastMinute(view, serverNow, rows)
  const matching = narrowed === undefined ? '' : `${narrowed} `
  if (builds === 0) {
    return `No ${matching}builds in the last minute. The last one arrived ${ago}.`
  }
  const failures = failed === 0 ? 'none failed' : `${countText(failed)} failed`
  const open = unknown === 0 ? '' : `, ${countText(unknown)} unknown so far`
  const most = busiest === undefined ? '' : ` Busiest: ${busiest}.`
  return `${countOf(builds, `${matching}build`)} in the last minute, ${failures}${open}.${most}`
}

/** So long the proxy waits for a build server that it has lost; then what it holds comes without it. */
const lostMs = 5000

/** Whether the build server has to be reached before anything more comes. */
export function isUpstreamLost(
  { upstream, clockDifference }: Pick<FeedView, 'upstream' | 'clockDifference'>,
  now: number,
): boolean {
  const isLost = upstream?.upstream === 'retrying' || upstream?.upstream === 'refused'
  return isLost && now + clockDifference - upstream.since >= lostMs
}

function withoutBuilds(view: FeedView, now: number): string {
  const { state } = view.connection
  if (state === 'idle' || state === 'connecting') return 'Connecting to the live feed.'
  return isUpToDate(view, now) ? 'No builds in the last hour.' : 'No builds to show.'
}

/** Whether what is shown is all there is: both this browser and the proxy hear their server. */
export function isUpToDate(view: FeedView, now: number): boolean {
  const { tone } = connectionSentence(view, now, { timeOfDay: String, duration: String })
  const isComplete = view.connection.state === 'complete' || view.upstream?.upstream === 'complete'
  return tone === 'good' || (tone === 'ended' && isComplete)
}

/** Whether newer builds may exist that cannot be had at the moment: rows that still come in are not old. */
export function isOutdatedAt(view: FeedView, now: number): boolean {
  const isComing = view.connection.state === 'catching-up' && !isUpstreamLost(view, now)
  return !isComing && !isUpToDate(view, now)
}

/** What the last minute brought. */
export interface LastMinute {
  readonly builds: number
  readonly failed: number
  /** Builds of which the outcome is not known (yet). */
  readonly unknown: number
  /** The project with the most builds, where two or more are known to be of it. */
  readonly busiest: string | undefined
}

/** So many older builds in a row are the end: some come late. */
const mostLate = 100

/**
 * Counts the builds among `rows` that were received in the minute before `now` (epoch ms by the proxy's
 * clock), or before the newest one, where the clock that stamps them is up to an hour ahead: what is dated later is left out. Reads
 * from the newest back, as builds come in the order of their receipt but for late ones.
 */
export function lastMinute(
  { oldest, newest, row: rowOf }: Pick<FeedSnapshot, 'oldest' | 'newest' | 'row'>,
  now: number,
  rows: ShownRows['rows'] = allRows(oldest, newest),
): LastMinute {
  let builds = 0
  let failed = 0
  let unknown = 0
  const projects = new Map<string, number>()
  const last = rowOf(rows.arrivalAt(0) ?? 0)?.build.timestamp ?? now
  const until = last > now + 3_600_000 ? now : Math.max(now, last)
  let late = 0
  for (let index = 0; index < rows.count && late < mostLate; index++) {
    const row = rowOf(rows.arrivalAt(index) ?? 0)
    if (row === undefined) break
    if (Math.abs(until - row.build.timestamp) >= 60_000) {
      late++
      continue
    }
    late = 0
    builds++
    const outcome = outcomeOf(row)
    if (outcome === 'failed') failed++
    if (outcome === 'unknown') unknown++
    const project = row.facts?.project
    if (project?.trim()) projects.set(project, (projects.get(project) ?? 0) + 1)
  }
  return { builds, failed, unknown, busiest: busiestOf(projects) }
}

function busiestOf(projects: ReadonlyMap<string, number>): string | undefined {
  let busiest: string | undefined
  let most = 1
  for (const [project, count] of projects) {
    if (count > most || (count === most && project < (busiest ?? ''))) {
      busiest = project
      most = count
    }
  }
  return busiest
}
