import { mostTiles } from '../../domain/wall/tiles-in-link.ts'
import type { AskedTile } from './tile-question.ts'

/** The tiles that several walls ask for together, and how many of them have to wait until they are seen. */
export interface AskedTogether {
  readonly tiles: readonly AskedTile[]
  readonly unwatched: number
}

/**
 * The tiles of walls that take turns, each once: all of them where there is room, else those of the
 * wall that is `shown` before the others'. A wall without tiles shows projects as they arrive, and
 * half of the room is kept for these.
 */
export function askedTogether(
  walls: readonly (readonly AskedTile[])[],
  shown: number,
): AskedTogether {
  const ofShown = walls[shown] ?? []
  const hasArrivals = walls.some((tiles) => tiles.length === 0)
  const room = hasArrivals ? Math.max(ofShown.length, mostTiles / 2) : mostTiles
  const all = eachOnce(walls.flat())
  if (all.length <= room) return { tiles: all, unwatched: 0 }
  return {
    tiles: eachOnce([...ofShown, ...all]).slice(0, room),
    unwatched: all.length - room,
  }
}

function eachOnce(tiles: readonly AskedTile[]): AskedTile[] {
  return [...new Map(tiles.map((tile) => [tile.key, tile])).values()]
}
