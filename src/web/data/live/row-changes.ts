import type { Feed, FeedView } from './feed.ts'

/** What became of the rows of a feed since they were last looked at. */
export interface RowChanges {
  readonly view: FeedView
  /** Too much was missed: all has to be read anew, and the rest is empty. */
  readonly anew: boolean
  /** Arrivals seen before whose facts came since. */
  readonly changed: readonly number[]
  /** Arrivals from here to `view.newest` are new. */
  readonly firstNew: number
}

/**
 * Follows the rows of a feed: each call tells what changed since the call before, or undefined when
 * nothing did. The first call tells to read all.
 */
export function followRows(feed: Feed): () => RowChanges | undefined {
  let seen: FeedView | undefined
  return () => {
    const view = feed.getSnapshot()
    const last = seen
    seen = view
    if (last === undefined || view.version > last.version + 1) {
      return { view, anew: true, changed: [], firstNew: view.oldest }
    }
    if (view.version === last.version) return undefined
    return { view, anew: false, changed: view.changed, firstNew: last.newest + 1 }
  }
}
