import type { OfferedWall, Wall, WallContent, WallRevision } from '../../../protocol/wall.ts'
import { chooseWall, type WallChoice } from './wall-choice.ts'

/** Where somebody begins to edit. */
export interface EditStart {
  /** The wall's name in the address; empty for a new one. */
  readonly name: string
  readonly content: WallContent
  /** `file`: it can only be copied; `new`: nothing is there yet. */
  readonly source: 'new' | 'link' | 'device' | OfferedWall['source']
  /** The number of the revision that it is, 0 where everybody has none. */
  readonly base: number
  readonly choice: WallChoice
}

/** The newest revision of a wall. */
export interface LatestWall extends WallContent {
  readonly number: number
  readonly by: string
  readonly at: number
  readonly isDeleted: boolean
}

/** Where the wall of an address begins; undefined where nobody knows it. */
export function startOf(
  name: string,
  choice: WallChoice,
  walls: readonly OfferedWall[],
): EditStart | undefined {
  const { wall, source } = choice
  const offered = walls.find((one) => one.name === name)
  if (wall === undefined) return undefined
  const content = withoutName(wall)
  const common = { name, content, choice, base: offered?.number ?? 0 }
  if (source === 'link' || source === 'device') return { ...common, source, base: 0 }
  return { ...common, source: name === '' ? 'new' : (offered?.source ?? 'device') }
}

/** The same of a wall that was deleted: what it was at last. */
export function startOfDeleted(name: string, deleted: WallRevision | undefined): EditStart {
  const { choice } = startNew
  const content = deleted === undefined ? startNew.content : withoutName(deleted)
  return { name, content, choice, source: 'saved', base: deleted?.number ?? 0 }
}

const startNew = {
  content: withoutName({ name: '', tiles: [], order: 'failing-first', group: 'none' }),
  choice: chooseWall('', new URLSearchParams(), { device: [], configured: [], settings: {} }),
}

function withoutName({ title, tiles, order, group }: Wall): WallContent {
  return { ...(title === undefined ? {} : { title }), tiles, order, group }
}

/** What everybody has of a wall at this moment, if it was saved: also that it was deleted. */
export function latestOf(
  name: string,
  walls: readonly OfferedWall[],
  deleted: WallRevision | undefined,
): LatestWall | undefined {
  if (deleted !== undefined) return { ...deleted, isDeleted: true }
  const found = walls.find((wall) => wall.name === name)
  const { number, by, at } = found ?? {}
  if (found === undefined || number === undefined) return undefined
  return { ...withoutName(found), number, by: by ?? '', at: at ?? 0, isDeleted: false }
}
