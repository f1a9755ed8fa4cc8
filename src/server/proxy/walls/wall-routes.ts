import type { Context } from 'hono'
import type { Logger } from 'pino'
import { z } from 'zod'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { ProblemError, problemError } from '../../../protocol/problem.ts'
import {
  longestTileBranch,
  longestTileQuery,
  longestTileTitle,
  longestWallNote,
  longestWallTitle,
  mostTiles,
  mostWallRevisions,
  mostWalls,
  type OfferedWall,
  type Wall,
  type WallList,
  type WallMistake,
  wallNamePattern,
  type WallRevision,
} from '../../../protocol/wall.ts'
import type { Act } from '../../store/actions.ts'
import type { Database } from '../../store/database.ts'
import {
  deleteWall,
  listWallRevisions,
  listWalls,
  restoreWall,
  saveWall,
  type WallSaving,
} from '../../store/walls.ts'
import { originOf } from '../history/audit.ts'
import type { HistoryOptions } from '../history/history.ts'
import {
  anyText,
  badFields,
  checkedBody,
  readJsonBody,
  readListQuery,
  textUpTo,
} from '../read-request.ts'
import type { ProxyEnv, RouteHandler } from '../sessions.ts'
import { readSharedQuery } from '../shared-search/shared-search-list.ts'

/** `GET /history/walls`: all of them, with those that are hidden or deleted. */
export function wallList(walls: Walls): RouteHandler {
  return async (c) => c.json(await walls.list())
}

/** `GET /history/walls/:name`: its revisions, the newest first; 404 where it was never saved. */
export function wallHistory({ database }: HistoryOptions): RouteHandler {
  return async (c) => {
    const before = readBefore(readListQuery(c, ['before']).before)
    const limit = mostWallRevisions + 1
    const found = await listWallRevisions(database, nameOf(c), {
      limit,
      ...(before === undefined ? {} : { before }),
    })
    if (found.length === 0 && before === undefined) throw noWall()
    const revisions = found.slice(0, mostWallRevisions)
    return c.json({
      revisions,
      next: found.length > revisions.length ? (revisions.at(-1)?.number ?? null) : null,
    })
  }
}

/** `POST /history/walls/:name`: answers 200 with the new revision, and 409 where somebody else saved one meanwhile. */
export function saveWallOf(options: HistoryOptions, walls: Walls): RouteHandler {
  return acting(options, walls, async (name, body, act) => {
    const { base, note, wall } = readBody(SaveBody, body)
    const mistakes = queryMistakes(wall.tiles)
    if (mistakes.length > 0) throw badFields(refusal, mistakes)
    return saveWall(options.database, name, { base, note, wall }, act)
  })
}

/** `POST /history/walls/:name/delete`. */
export function deleteWallOf(options: HistoryOptions, walls: Walls): RouteHandler {
  return acting(options, walls, (name, body, act) =>
    deleteWall(options.database, name, readBody(DeleteBody, body).base, act),
  )
}

/** `POST /history/walls/:name/restore`: an old revision becomes the newest. */
export function restoreWallOf(options: HistoryOptions, walls: Walls): RouteHandler {
  return acting(options, walls, (name, body, act) =>
    restoreWall(options.database, name, readBody(RestoreBody, body), act),
  )
}

function acting(
  { clock, changes }: HistoryOptions,
  walls: Walls,
  act: (name: string, body: Uint8Array, by: Act) => Promise<WallSaving>,
): RouteHandler {
  return async (c) => {
    const name = nameOf(c)
    const body = await readJsonBody(c)
    if (!wallNamePattern.test(name)) {
      const mistake =
        'must start with a letter or digit, followed by up to 63 letters, digits, dots, hyphens or underscores.'
      throw badFields(refusal, [{ field: 'name', mistake: `The name ${mistake}` }])
    }
    if (walls.isConfigured(name)) {
      throw problemError(
        409,
        'wall-configured',
        'Configured wall',
        `The wall ${name} comes from the configuration file, and can't be changed here. Save it under another name.`,
      )
    }
    const by = { ...originOf(c), at: clock.now() }
    const revision = savedOf(name, await act(name, body, by))
    changes.publish('walls', name)
    return c.json(revision)
  }
}

function nameOf(c: Context<ProxyEnv>): string {
  return c.req.param('name') ?? ''
}

function readBefore(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw problemError(400, 'bad-before', 'Bad query', '"before" must be the number of a revision.')
}

function savedOf(name: string, result: WallSaving): WallRevision {
  switch (result.is) {
    case 'saved':
      return result.revision
    case 'changed': {
      const { by, deleted, number } = result.current
      const did = `${by} ${deleted ? 'deleted' : 'changed'} the wall ${name} in the meantime`
      const sentence =
        result.base === 0
          ? `A wall named ${name} already exists, saved by ${by}. Choose another name, or save over it.`
          : `${did} (revision ${number}). Your change wasn't saved.`
      throw problemError(409, 'wall-changed', 'Changed meanwhile', sentence, {
        current: result.current,
      })
    }
    case 'gone':
      throw noWall()
    case 'full':
      throw problemError(
        409,
        'too-many-walls',
        'Too many walls',
        `There are ${mostWalls} saved walls already. Delete some that are no longer needed.`,
      )
  }
}

function noWall(): ProblemError {
  return problemError(
    404,
    'no-wall',
    'Wall not found',
    'No wall is saved under this name, or this revision is no longer kept.',
  )
}

/** Of each tile whose query has errors, as the search language words them. */
function queryMistakes(tiles: readonly { readonly query: string }[]): WallMistake[] {
  return tiles.flatMap(({ query }, tile) => {
    try {
      readSharedQuery(query)
      return []
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      const { data } = QueryMistakes.safeParse(error.problem)
      const found = data?.queryMistakes ?? [{ message: error.message }]
      return found.map(({ message, ...place }) => ({
        tile,
        field: 'query',
        mistake: `Tile ${tile + 1}: ${message}`,
        ...place,
      }))
    }
  })
}

const QueryMistakes = z.object({
  queryMistakes: z.array(z.object({ from: z.number(), to: z.number(), message: z.string() })),
})

const refusal = { code: 'bad-wall', title: 'Bad wall' }

function readBody<Body>(schema: z.ZodType<Body>, body: Uint8Array): Body {
  return checkedBody(body, schema, refusal, mistakeOf)
}

/** Of a tile its place as well. */
function mistakeOf({ path, message }: z.core.$ZodIssue): WallMistake {
  const [list, tile, field] = path[0] === 'wall' && path.length > 1 ? path.slice(1) : path
  return list === 'tiles' && typeof tile === 'number'
    ? {
        tile,
        field: String(field ?? 'tile'),
        mistake: `Tile ${tile + 1}: ${String(field ?? 'it')} ${message}`,
      }
    : {
        field: String(list ?? 'body'),
        mistake: list === undefined ? message : `${String(list)} ${message}`,
      }
}

const filledUpTo = (most: number) => textUpTo(most, anyText.trim()).min(1, 'is empty.')

// Messages follow the name of their field.
const tile = z.object(
  {
    title: filledUpTo(longestTileTitle),
    query: filledUpTo(longestTileQuery),
    pinned: z.boolean('must be true or false.').default(false),
    branch: filledUpTo(longestTileBranch).optional(),
  },
  'must have a title and a query.',
)
const wall = z.object(
  {
    title: filledUpTo(longestWallTitle).optional(),
    tiles: z
      .array(tile, 'must be a list of tiles.')
      .max(mostTiles, `has more than ${mostTiles} entries.`),
    order: z.enum(['failing-first', 'stable'], 'must be failing-first or stable.'),
    group: z.enum(['none', 'project', 'tool'], 'must be none, project or tool.'),
  },
  'must be an object with tiles, order and group. Its title is optional.',
)
const base = z
  .int('must be the number of the revision that was changed, or 0.')
  .nonnegative('must be at least 0.')
const error = 'The body must be a JSON object with base, and the fields of what is to be done.'

const SaveBody = z.object(
  { base, wall, note: textUpTo(longestWallNote, anyText.trim()).default('') },
  error,
)
const DeleteBody = z.object({ base }, error)
const RestoreBody = z.object(
  { base, number: z.int('must be the number of a revision.').positive('must be at least 1.') },
  error,
)

/** All walls: for the browser, screens, alerts and the search for pages alike. */
export interface Walls {
  /** Those of the file, then those that are saved, then the demo's: the first of a name counts. */
  readonly list: () => Promise<WallList>
  /** Whether the configuration file has a wall of this name, so that nothing can be saved under it. */
  readonly isConfigured: (name: string) => boolean
}

/**
 * Lists walls of the configuration file, of the database and of the demo. While the database does not respond, what it
 * said last counts: a wall that hangs stays.
 */
export function createWalls(options: {
  readonly file: readonly Wall[]
  readonly demo: readonly Wall[]
  readonly database: Database
  readonly logger: Logger
}): Walls {
  const { file, demo, database, logger } = options
  const configured = new Set(file.map(({ name }) => name))
  let known: readonly WallRevision[] = []
  return {
    isConfigured: (name) => configured.has(name),
    list: async () => {
      try {
        known = await listWalls(database)
      } catch (error) {
        logger.warn({ reason: reasonOf(error) }, 'reading the saved walls failed')
      }
      return allWalls({ file, demo, saved: known })
    },
  }
}

/** Walls where there is no database. */
export function configuredWalls(file: readonly Wall[]): Walls {
  const list = allWalls({ file, demo: [], saved: [] })
  return { isConfigured: () => true, list: () => Promise.resolve(list) }
}

/** `saved` has the newest revision of each wall. */
function allWalls(known: {
  readonly file: readonly Wall[]
  readonly demo: readonly Wall[]
  readonly saved: readonly WallRevision[]
}): WallList {
  const file = known.file.map((wall): OfferedWall => ({ ...wall, source: 'file' }))
  const inFile = new Set(file.map(({ name }) => name))
  const living = known.saved.filter(({ deleted }) => !deleted)
  const saved = living.filter(({ name }) => !inFile.has(name)).map(offered)
  const taken = new Set([...inFile, ...saved.map(({ name }) => name)])
  const demo = known.demo
    .filter(({ name }) => !taken.has(name))
    .map((wall): OfferedWall => ({ ...wall, source: 'demo' }))
  return {
    walls: [...file, ...saved, ...demo],
    hidden: living.filter(({ name }) => inFile.has(name)),
    deleted: known.saved.filter(({ deleted }) => deleted),
  }
}

function offered({ note: _, deleted: __, restored: ___, ...wall }: WallRevision): OfferedWall {
  return { ...wall, source: 'saved' }
}
