import { type FailureStreak, failureStreak } from '../../../facts/failure-streak.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { FeedSnapshot } from '../../data/live/feed-snapshot.ts'

/** What is known of the builds around one. */
export interface Neighbours {
  readonly streak: FailureStreak | undefined
  /** Other builds of the same commit, the newest first. */
  readonly sameCommit: readonly Facts[]
}

const mostOfCommit = 5

/** The custom value that says which commit was built, as the common plug-ins name it. */
function commitOf({ values }: Pick<Facts, 'values'>): string | undefined {
  return values?.find(({ name }) => name.toLowerCase() === 'git commit id')?.value
}

/**
 * Finds them in what the feed keeps, and in `before`: builds of before this one, the newest first,
 * in which others may stand as well. A build of which too little is known has none.
 */
export function neighboursOf(
  build: Facts,
  feed: Pick<FeedSnapshot, 'oldest' | 'newest' | 'row'> | undefined,
  before: readonly Facts[],
): Neighbours {
  const commit = commitOf(build)
  const known = new Map(before.map((facts) => [facts.buildId, facts]))
  const sameCommit: Facts[] = []
  const [newest, oldest] = [feed?.newest ?? -1, feed?.oldest ?? 0]
  for (let arrival = newest; arrival >= oldest; arrival--) {
    const facts = feed?.row(arrival)?.facts
    if (facts === undefined || facts.buildId === build.buildId) continue
    if (commit !== undefined && sameCommit.length < mostOfCommit && commitOf(facts) === commit) {
      sameCommit.push(facts)
    }
    if (facts.project === build.project) known.set(facts.buildId, facts)
  }
  const earlier = [...known.values()]
    .filter(({ receivedAt }) => receivedAt <= build.receivedAt)
    .sort((a, b) => b.receivedAt - a.receivedAt)
  const isKnown = build.project !== undefined && build.project !== null
  return { sameCommit, streak: isKnown ? failureStreak(build, earlier) : undefined }
}

/** Where builds of a project and branch stand in the feed. */
export function feedAddress(facets: Readonly<Record<string, string>>): string {
  return `/?${new URLSearchParams(facets).toString()}`
}
