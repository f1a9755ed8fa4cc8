import { useLayoutEffect, useMemo, useSyncExternalStore } from 'react'
import { z } from 'zod'
import { type Wall, WallTile } from '../../../protocol/wall.ts'
import { createWallTiles } from '../../data/wall/create-wall-tiles.ts'
import { createAskShared } from '../../data/wall/shared-search.ts'
import type { TileStanding, WallStandings, WallTiles } from '../../data/wall/wall-tiles.ts'
import { mostTiles } from '../../domain/wall/tiles-in-link.ts'
import { type AskedTile, askedTiles, projectOfKey, projectTile } from './tile-question.ts'
import { askedTogether } from './wall-asks.ts'
import type { PlacedTile } from './wall-set.ts'
import { useServices } from '../../data/core/services.ts'

/** The tiles of walls, alive. */
export interface LiveTiles {
  readonly tiles: WallTiles
  readonly standings: WallStandings
  /** Of each wall. */
  readonly placed: readonly (readonly PlacedTile[])[]
  /** Of how many tiles nothing is heard until their wall is shown. */
  readonly unwatched: number
}

/**
 * Follows the feed for the tiles of walls that take turns; of one without any, for one of each project
 * that arrives. What is known of a tile stays while others change around it. `shown` is the wall that
 * is seen now.
 */
export function useWallTiles(
  walls: readonly Pick<Wall, 'tiles'>[],
  shown: number,
  timeZone: string,
): LiveTiles {
  const { feed, request, clock, random } = useServices()
  // The same tiles while only the way they are shown changes.
  const definition = JSON.stringify(walls.map(({ tiles }) => tiles.slice(0, mostTiles)))
  const asked = useMemo(
    () => TilesOfWalls.parse(JSON.parse(definition)).map((tiles) => askedTiles(tiles, timeZone)),
    [definition, timeZone],
  )
  const together = useMemo(() => askedTogether(asked, shown), [asked, shown])
  const tiles = useMemo(
    () =>
      createWallTiles({
        feed,
        clock,
        random,
        timeZone,
        ask: createAskShared(request),
        asks: { questions: [] },
        limit: mostTiles,
      }),
    [timeZone, feed, request, clock, random],
  )
  useLayoutEffect(() => {
    tiles.ask({
      questions: together.tiles.map(({ question }) => question),
      ofProject: asked.some((own) => own.length === 0)
        ? (name) => projectTile(name).question
        : undefined,
    })
  }, [tiles, together, asked])
  const standings = useSyncExternalStore(tiles.subscribe, tiles.getSnapshot)
  const placed = useMemo(() => {
    const byKey = new Map(standings.tiles.map((standing) => [standing.key, standing]))
    const arrived = standings.tiles.flatMap(arrivedTile)
    return asked.map((own) =>
      own.length === 0 ? arrived : own.map((tile) => placedTile(tile, byKey.get(tile.key))),
    )
  }, [standings, asked])
  return { tiles, standings, placed, unwatched: together.unwatched }
}

const TilesOfWalls = z.array(z.array(WallTile))

function arrivedTile(standing: TileStanding): PlacedTile[] {
  const project = projectOfKey(standing.key)
  return project === undefined ? [] : [placedTile(projectTile(project), standing)]
}

/** One that is asked for only now is drawn as one without builds. */
function placedTile(
  { key, title, query, pinned, mistake }: AskedTile,
  { status, newest }: Pick<TileStanding, 'status' | 'newest'> = {
    status: 'empty',
    newest: undefined,
  },
): PlacedTile {
  return { key, title, query, pinned, mistake, status, newest }
}
