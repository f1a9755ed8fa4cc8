import type { Facts } from '../../../protocol/facts.ts'
import type { Answer } from '../../../search/match.ts'
import type { NecessaryText } from './necessary-text.ts'

/** What a tile of a wall asks. */
export interface WallQuestion {
  /** The tile's own, and the same for as long as it asks the same. */
  readonly key: string
  /** As the proxy is asked, times with their zones; undefined where it is not to be asked. */
  readonly search: string | undefined
  /** Which builds of the feed belong to the tile. */
  readonly match: WallMatch
}

/** By what a tile knows its builds. */
export type WallMatch =
  /** All of one project: found without evaluating anything. */
  | { readonly by: 'project'; readonly project: string }
  | {
      readonly by: 'query'
      /** Compiled for a moment, epoch ms of the proxy's clock. */
      readonly at: (now: number) => (facts: Facts) => Answer
      /** Whether what it means goes on with the time, as "in the last hour" does. */
      readonly isRelative: boolean
      /** What a build must have to be asked about at all; undefined where all have to be. */
      readonly needs: NecessaryText | undefined
    }
  /** Nothing: the query has errors. */
  | { readonly by: 'nothing' }
