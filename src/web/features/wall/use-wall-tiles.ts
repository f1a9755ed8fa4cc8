import { useMemo, useSyncExternalStore } from 'react'
import { type Wall, WallTile } from '../../../protocol/wall.ts'
import { createWallTiles } from '../../data/create-wall-tiles.ts'
import { useRequest } from '../../data/request-context.ts'
import { createAskShared } from '../../data/shared-search.ts'
import { useFeed } from '../../data/use-feed.ts'
import type { WallStandings, WallTiles } from '../../data/wall-tiles.ts'
import { useWorld } from '../../data/world-context.ts'
import { type AskedTile, askedTile, projectOfKey, projectTile } from './tile-question.ts'
import { mostTiles } from '../../ui/tiles-in-link.ts'
import type { PlacedTile } from './wall-set.ts'

/** The tiles of a wall, alive. */
export interface LiveTiles {
  readonly tiles: WallTiles
  readonly standings: WallStandings
  readonly placed: readonly PlacedTile[]
}

/** Follows the feed for the tiles of a wall; without any, for one of each project that arrives. */
export function useWallTiles(wall: Pick<Wall, 'tiles'>, timeZone: string): LiveTiles {
  const feed = useFeed()
  const request = useRequest()
  const { clock, random } = useWorld()
  // The same tiles while only the way they are shown changes.
  const definition = JSON.stringify(wall.tiles)
  const { tiles, asked } = useMemo(() => {
    const all = WallTile.array()
      .parse(JSON.parse(definition))
      .slice(0, mostTiles)
      .map((tile, index) => askedTile(tile, index, timeZone))
    return {
      asked: new Map(all.map((tile) => [tile.key, tile])),
      tiles: createWallTiles({
        feed,
        clock,
        random,
        timeZone,
        ask: createAskShared(request),
        questions: all.map(({ question }) => question),
        ...(all.length === 0 ? { ofProject: (name: string) => projectTile(name).question } : {}),
        limit: mostTiles,
      }),
    }
  }, [definition, timeZone, feed, request, clock, random])
  const standings = useSyncExternalStore(tiles.subscribe, tiles.getSnapshot)
  const placed = useMemo(
    () => standings.tiles.flatMap((standing) => placedTile(standing, asked)),
    [standings, asked],
  )
  return { tiles, standings, placed }
}

function placedTile(
  { key, status, newest }: WallStandings['tiles'][number],
  asked: ReadonlyMap<string, AskedTile>,
): PlacedTile[] {
  const project = projectOfKey(key)
  const tile = asked.get(key) ?? (project === undefined ? undefined : projectTile(project))
  if (tile === undefined) return []
  const { title, query, pinned, mistake } = tile
  return [{ key, title, query, pinned, mistake, status, newest }]
}
