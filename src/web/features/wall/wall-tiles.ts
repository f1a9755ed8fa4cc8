import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useMemo } from 'react'
import * as z from 'zod/mini'
import { tileKey } from '../../../protocol/claim.ts'
import { mostTiles, type Wall, WallTile } from '../../../protocol/wall.ts'
import { check } from '../../../search/check.ts'
import { compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { canonicalQuery, toApiQuery } from '../../../search/to-api.ts'
import { nameText, quoteValue } from '../../../search/values/text.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import { type WallStandings, type WallTiles, createWallTiles } from '../../data/wall/wall-tiles.ts'
import { momentsIn } from '../../ui/query-editor/query-assistance.ts'
import { noSpell } from '../../../facts/tile-state.ts'
import type { PlacedTile } from './wall-set.ts'
import { necessaryText, type TileQuery } from '../../data/wall/wall-router.ts'
import { createSharedSearch } from '../../data/wall/wall-searches.ts'
import type { TileStanding } from '../../data/wall/tile-board.ts'

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
  // Whoever shows a wall has requested the configuration.
  const projects = useQuery({ ...configQuery(request), enabled: false }).data?.defaultBranches
  const compiled = useMemo(
    () =>
      TilesOfWalls.parse(JSON.parse(definition)).map((tiles) =>
        compiledTiles(tiles, timeZone, projects),
      ),
    [definition, timeZone, projects],
  )
  const together = useMemo(() => tilesTogether(compiled, shown), [compiled, shown])
  const tiles = useMemo(
    () =>
      createWallTiles({
        feed,
        clock,
        random,
        timeZone,
        request: createSharedSearch(request),
        queries: { questions: [] },
        limit: mostTiles,
      }),
    [timeZone, feed, request, clock, random],
  )
  useLayoutEffect(() => {
    tiles.follow({
      questions: together.tiles.map(({ question }) => question),
      ofProject: compiled.some((own) => own.length === 0)
        ? (name) => projectTile(name, projects).question
        : undefined,
    })
  }, [tiles, together, compiled, projects])
  const standings = useStore(tiles)
  const placed = useMemo(() => {
    const byKey = new Map(standings.tiles.map((standing) => [standing.key, standing]))
    const arrived = standings.tiles.flatMap(arrivedTile)
    return compiled.map((own) =>
      own.length === 0 ? arrived : own.map((tile) => placedTile(tile, byKey.get(tile.key))),
    )
  }, [standings, compiled])
  return { tiles, standings, placed, unwatched: together.unwatched }
}

/** Of projects, as they are configured. */
type DefaultBranches = Readonly<Record<string, string>> | undefined

const TilesOfWalls = z.array(z.array(WallTile))

function arrivedTile(standing: TileStanding): PlacedTile[] {
  const project = projectOfKey(standing.key)
  return project === undefined ? [] : [placedTile(projectTile(project), standing)]
}

/** One that is not followed yet is drawn as one without builds. */
function placedTile(
  { key, title, query, branch, claimKey, pinned, mistake }: CompiledTile,
  standing: Omit<TileStanding, 'key'> = {
    status: 'empty',
    news: undefined,
    since: undefined,
    isOpen: false,
    spell: noSpell,
    newest: undefined,
    isLoading: mistake === undefined,
    unread: undefined,
    isKept: false,
  },
): PlacedTile {
  // What is wrong with its query says why it has no builds.
  const unread = mistake === undefined ? standing.unread : undefined
  return { ...standing, unread, key, title, query, branch, claimKey, pinned, mistake }
}

/** A tile of a wall with its compiled query, and what is wrong with that. */
interface CompiledTile extends WallTile {
  readonly key: string
  readonly question: TileQuery
  readonly claimKey: string | undefined
  /** The first error of its query, as a sentence; undefined where it has none. */
  readonly mistake: string | undefined
}

/** Reads the queries of the tiles of a wall. A tile keeps its key wherever on a wall it stands. */
export function compiledTiles(
  tiles: readonly WallTile[],
  timeZone: string,
  projects?: DefaultBranches,
): CompiledTile[] {
  const seen = new Map<string, number>()
  return tiles.map((tile) => {
    const nth = seen.get(tile.query) ?? 0
    seen.set(tile.query, nth + 1)
    return compiledTile(tile, nth, timeZone, projects)
  })
}

/** `nth` distinguishes tiles of a wall that have the same query. */
function compiledTile(
  tile: WallTile,
  nth: number,
  timeZone: string,
  projects: DefaultBranches,
): CompiledTile {
  const key = `${nth}:${tile.query}${tile.branch === undefined ? '' : `\n${tile.branch}`}`
  const query = parse(tile.query)
  const error = check(query).find(({ severity }) => severity === 'error')
  if (error !== undefined || query.root === undefined) {
    return {
      ...tile,
      key,
      question: { key, search: undefined, match: { by: 'nothing' } },
      claimKey: undefined,
      mistake: error?.message ?? 'The tile has no query.',
    }
  }
  return {
    ...tile,
    key,
    claimKey: tileKey(canonicalQuery(query), tile.branch),
    mistake: undefined,
    question: {
      key,
      search: toApiQuery(query, { timeZone }),
      rule: { tile: tile.branch, projects },
      match: {
        by: 'query',
        at: (now) => compile(query, { now, timeZone }),
        isRelative: momentsIn(query).some(({ type }) => type === 'relative'),
        needs: necessaryText(query),
      },
    },
  }
}

/** The tile of a project that has arrived. */
function projectTile(project: string, projects?: DefaultBranches): CompiledTile {
  const query = `project:${quoteValue(project)}`
  const key = `project ${project}`
  return {
    title: project === '' ? 'No project' : nameText(project),
    query,
    pinned: false,
    key,
    claimKey: tileKey(canonicalQuery(parse(query)), undefined),
    mistake: undefined,
    question: { key, search: query, rule: { projects }, match: { by: 'project', project } },
  }
}

/** The name of the project that a key of `projectTile` is of; undefined of other keys. */
function projectOfKey(key: string): string | undefined {
  return key.startsWith('project ') ? key.slice('project '.length) : undefined
}

/** The tiles of several walls together, and how many of them have to wait until they are seen. */
export interface TilesTogether {
  readonly tiles: readonly CompiledTile[]
  readonly unwatched: number
}

/**
 * The tiles of walls that take turns, each once: all of them where there is room, else those of the
 * wall that is `shown` before the others'. A wall without tiles shows projects as they arrive, and
 * half of the room is kept for these.
 */
export function tilesTogether(
  walls: readonly (readonly CompiledTile[])[],
  shown: number,
): TilesTogether {
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

function eachOnce(tiles: readonly CompiledTile[]): CompiledTile[] {
  return [...new Map(tiles.map((tile) => [tile.key, tile])).values()]
}
