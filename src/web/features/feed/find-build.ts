import type { FeedRow, FeedSnapshot } from '../../data/live/feed-snapshot.ts'

/**
 * The row of a build among those the feed keeps. `guess` is an arrival that is looked at first;
 * without it the newest are looked at first.
 */
export function findBuild(
  feed: Pick<FeedSnapshot, 'oldest' | 'newest' | 'row'>,
  buildId: string,
  guess: number | undefined,
): FeedRow | undefined {
  const guessed = guess === undefined ? undefined : feed.row(guess)
  if (guessed?.build.buildId === buildId) return guessed
  for (let arrival = feed.newest; arrival >= feed.oldest; arrival--) {
    const row = feed.row(arrival)
    if (row?.build.buildId === buildId) return row
  }
  return undefined
}
