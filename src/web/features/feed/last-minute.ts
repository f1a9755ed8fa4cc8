import type { FeedSnapshot } from '../../data/live/feed-snapshot.ts'
import { outcomeOf } from './facets.ts'

/** What the last minute brought. */
export interface LastMinute {
  readonly builds: number
  readonly failed: number
  /** Builds of which the outcome is not known (yet). */
  readonly unknown: number
  /** The project with the most builds, where two or more are known to be of it. */
  readonly busiest: string | undefined
}

/**
 * Counts the builds that were received in the minute before `now` (epoch ms by the clock that
 * stamps them). Reads from the newest back, as builds come in the order of their receipt.
 */
export function lastMinute(
  feed: Pick<FeedSnapshot, 'oldest' | 'newest' | 'row'>,
  now: number,
): LastMinute {
  let builds = 0
  let failed = 0
  let unknown = 0
  const projects = new Map<string, number>()
  for (let arrival = feed.newest; arrival >= feed.oldest; arrival--) {
    const row = feed.row(arrival)
    if (row === undefined || row.build.timestamp <= now - 60_000) break
    builds++
    const outcome = outcomeOf(row)
    if (outcome === 'failed') failed++
    if (outcome === 'unknown') unknown++
    const project = row.facts?.project ?? undefined
    if (project !== undefined) projects.set(project, (projects.get(project) ?? 0) + 1)
  }
  return { builds, failed, unknown, busiest: busiestOf(projects) }
}

function busiestOf(projects: ReadonlyMap<string, number>): string | undefined {
  let busiest: string | undefined
  let most = 1
  for (const [project, count] of projects) {
    if (count > most || (count === most && busiest !== undefined && project < busiest)) {
      busiest = project
      most = count
    }
  }
  return busiest
}
