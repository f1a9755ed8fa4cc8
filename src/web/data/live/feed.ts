import type { FeedSnapshot } from './feed-snapshot.ts'

/** What the feed publishes: the contract with the screen, and what lag and filters need. */
export interface FeedView extends FeedSnapshot {
  /**
   * How long the newest build took from the server to this browser, ms, corrected for the
   * difference of the clocks; undefined before a build came while the stream was live.
   */
  readonly behindMs: number | undefined
  /** What to add to this browser's clock to get the proxy's, ms; 0 before the first Status. */
  readonly clockDifference: number
  /**
   * Kept arrivals up to the `newest` of the view before, whose facts came since then. Whoever has
   * seen the view with the `version` before this one knows all changes by it.
   */
  readonly changed: readonly number[]
}

/** The endless stream of builds as a store outside React. */
export interface Feed {
  /** The first listener opens the stream; a while after the last one left it is closed. */
  readonly subscribe: (listener: () => void) => () => void
  /** The same object until something changed. */
  readonly getSnapshot: () => FeedView
  /** Tries again at once: out of a back-off, and also after the stream ended or was refused. */
  readonly reconnect: () => void
  /** Gives up catching up: builds not yet received are left out, and the stream goes on from now. */
  readonly skipToNow: () => void
}
