import type { FeedRow, FeedSnapshot } from '../data/live/feed-snapshot.ts'

const most = 8

/** The newest builds of the feed whose id contains what was typed; from three characters on. */
export function findBuilds(
  feed: Pick<FeedSnapshot, 'oldest' | 'newest' | 'row'>,
  typed: string,
): readonly FeedRow[] {
  const part = typed.trim().toLowerCase()
  const found: FeedRow[] = []
  if (part.length < 3) return found
  for (let arrival = feed.newest; arrival >= feed.oldest && found.length < most; arrival--) {
    const row = feed.row(arrival)
    if (row?.build.buildId.includes(part)) found.push(row)
  }
  return found
}
