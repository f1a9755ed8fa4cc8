import type { Logger } from 'pino'
import type { OfferedWall, Wall, WallList, WallRevision } from '../../../protocol/wall.ts'
import type { Database } from '../../store/database.ts'
import { listWalls } from '../../store/walls.ts'

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
        const reason = error instanceof Error ? error.message : 'unknown'
        logger.warn({ reason }, 'reading the saved walls failed')
      }
      return wallList({ file, demo, saved: known })
    },
  }
}

/** Walls where there is no database. */
export function configuredWalls(file: readonly Wall[]): Walls {
  const list = wallList({ file, demo: [], saved: [] })
  return { isConfigured: () => true, list: () => Promise.resolve(list) }
}

/** `saved` has the newest revision of each wall. */
function wallList(known: {
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
