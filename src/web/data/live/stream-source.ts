import type { Facts } from '../../../protocol/facts.ts'
import type { FeedRow } from './feed-snapshot.ts'
import type { FeedState } from './feed-state.ts'
import type { StreamHappening } from './stream-happening.ts'

/** Where a stream begins: after a build, or with all builds received since an instant. */
export interface StreamStart {
  readonly lastId: string | undefined
  /** Epoch ms by the proxy's clock, as well as it is known. */
  readonly since: number
}

/** What happens to a stream, or what another tab tells that reads it. */
export type SourceHappening =
  StreamHappening | { readonly type: 'adopted'; readonly state: FeedState }

/** What a feed holds after some build. */
export interface RowsAfter {
  readonly rows: readonly FeedRow[]
  /** Builds between the one that was named and the first row are no longer kept. */
  readonly missing: boolean
}

/** What a source needs of the feed that opens it. */
export interface StreamSink {
  /** Takes what happens, in order. */
  readonly tell: (happening: SourceHappening) => void
  /** Where to begin or to go on, as of now. */
  readonly start: () => StreamStart
  /** The feed as it stands, without its rows. */
  readonly state: () => FeedState
  /**
   * Up to `limit` rows after a build, oldest first; from the oldest on where that build is not
   * kept, and then rows are missing if any were ever dropped.
   */
  readonly rowsAfter: (buildId: string | undefined, limit: number) => RowsAfter
  /** The ids of the newest builds of which no facts are known, up to `limit`. */
  readonly withoutFacts: (limit: number) => readonly string[]
  /** What is known of these builds, once for each of which something is. */
  readonly factsOf: (buildIds: readonly string[]) => readonly Facts[]
}

/** A stream that a feed has opened. */
export interface OpenStream {
  readonly reconnect: () => void
  /** Leaves out what is missing and goes on with what comes from now. */
  readonly skipToNow: () => void
  /** Ends it: nothing is told after this call. */
  readonly close: () => void
}

/** Where a feed gets its stream: from the proxy itself, or through another tab. */
export type StreamSource = (sink: StreamSink) => OpenStream
