import type { WallTile } from '../../../protocol/wall.ts'
import { check } from '../../../search/check.ts'
import { compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { quoteValue } from '../../../search/values/text.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import { necessaryText } from '../../data/wall/necessary-text.ts'
import type { WallQuestion } from '../../data/wall/wall-question.ts'
import { momentsIn } from '../../ui/query-editor/moments-in.ts'

/** A tile of a wall as it is asked, and what is wrong with it. */
export interface AskedTile extends WallTile {
  readonly key: string
  readonly question: WallQuestion
  /** The first error of its query, as a sentence; undefined where it has none. */
  readonly mistake: string | undefined
}

/** Reads the queries of the tiles of a wall. A tile keeps its key wherever on a wall it stands. */
export function askedTiles(tiles: readonly WallTile[], timeZone: string): AskedTile[] {
  const seen = new Map<string, number>()
  return tiles.map((tile) => {
    const nth = seen.get(tile.query) ?? 0
    seen.set(tile.query, nth + 1)
    return askedTile(tile, nth, timeZone)
  })
}

/** `nth` tells tiles of a wall apart that ask the same. */
function askedTile(tile: WallTile, nth: number, timeZone: string): AskedTile {
  const key = `${nth}:${tile.query}`
  const query = parse(tile.query)
  const error = check(query).find(({ severity }) => severity === 'error')
  if (error !== undefined || query.root === undefined) {
    return {
      ...tile,
      key,
      question: { key, search: undefined, match: { by: 'nothing' } },
      mistake: error?.message ?? 'The tile has no query.',
    }
  }
  return {
    ...tile,
    key,
    mistake: undefined,
    question: {
      key,
      search: toApiQuery(query, { timeZone }),
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
export function projectTile(project: string): AskedTile {
  const query = `project:${quoteValue(project)}`
  const key = `project ${project}`
  return {
    title: project,
    query,
    pinned: false,
    key,
    mistake: undefined,
    question: { key, search: query, match: { by: 'project', project } },
  }
}

/** The name of the project that a key of `projectTile` is of; undefined of other keys. */
export function projectOfKey(key: string): string | undefined {
  return key.startsWith('project ') ? key.slice('project '.length) : undefined
}
