import type { TileStatus } from './tile-state.ts'

/** What places a tile among others. */
export interface PlacedTile {
  readonly status: TileStatus
  /** Stays in front, whatever its state. */
  readonly pinned: boolean
}

const ranks: Readonly<Record<TileStatus, number>> = {
  failing: 0,
  flaky: 1,
  unknown: 2,
  healthy: 3,
  empty: 4,
}

/**
 * The tiles as a wall shows them: pinned ones in front; then `failing-first` what needs somebody before
 * what does not, or `stable` as they stand. Equal ones never change places.
 */
export function inTileOrder<Tile extends PlacedTile>(
  tiles: readonly Tile[],
  order: 'failing-first' | 'stable',
): Tile[] {
  return tiles.toSorted(
    (a, b) =>
      Number(b.pinned) - Number(a.pinned) ||
      (order === 'stable' ? 0 : ranks[a.status] - ranks[b.status]),
  )
}
