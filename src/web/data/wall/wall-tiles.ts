import type { Facts } from '../../../protocol/facts.ts'
import type { TileState, TileStatus } from '../../../facts/tile-state.ts'
import type { WallQuestion } from './wall-question.ts'
import type { SearchStanding } from './wall-searches.ts'

/** A tile at one moment; another object whenever something of it changed. */
export interface TileView {
  readonly key: string
  readonly state: TileState
  readonly search: SearchStanding
}

/** What decides where a tile stands among the others. */
export interface TileStanding {
  readonly key: string
  readonly status: TileStatus
  readonly newest: Facts | undefined
}

/** All tiles at one moment; replaced only when one of them changed its status, or came. */
export interface WallStandings {
  /** In the order of the questions; tiles of new projects behind them, as they came. */
  readonly tiles: readonly TileStanding[]
  /** Projects for which there is no more room, as this wall makes its tiles itself. */
  readonly leftOut: number
  /** The builds that the feed had kept have all been looked at. */
  readonly isCaughtUp: boolean
}

/** What a wall asks. */
export interface WallAsks {
  readonly questions: readonly WallQuestion[]
  /** Makes the tile of a project that arrives, where there is to be one for each. */
  readonly ofProject?: ((project: string) => WallQuestion) | undefined
}

/** The tiles of a wall as a store outside React, in the manner of `Feed`. */
export interface WallTiles {
  /** Asks this from now on. What is known of a question that was asked before is kept. */
  readonly ask: (asks: WallAsks) => void
  /** The first listener opens the feed and the searches, the last one closes them. */
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => WallStandings
  /** One tile: only those that changed are told. */
  readonly subscribeTile: (key: string, listener: () => void) => () => void
  readonly tile: (key: string) => TileView | undefined
  /** Since when this store has followed the feed, epoch ms; undefined before it was opened. */
  readonly watchingSince: () => number | undefined
}
