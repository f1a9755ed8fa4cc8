import { Wall } from '../../../protocol/wall.ts'
import { readSettings, WallSettings } from './wall-link.ts'
import { readTiles } from '../../domain/wall/tiles-in-link.ts'

/** The wall that an address means, and how it is to be shown. */
export interface WallChoice {
  /** Undefined where nobody knows a wall of that name. */
  readonly wall: Wall | undefined
  /** Where its tiles come from; `arrivals`: one for each project that arrives. */
  readonly source: 'link' | 'device' | 'configuration' | 'arrivals'
  readonly settings: WallSettings
  /** What of the link was left out, as sentences. */
  readonly ignored: readonly string[]
}

/** What is known of walls. */
export interface KnownWalls {
  readonly device: readonly Wall[]
  readonly configured: readonly Wall[]
  /** Of this device, by name. */
  readonly settings: Readonly<Record<string, WallSettings>>
}

/**
 * Chooses the wall of an address: what the link itself says, then what was saved on the device, then
 * what is configured. `/wall` by itself, with the name '', is one tile for each project.
 */
export function chooseWall(name: string, search: URLSearchParams, known: KnownWalls): WallChoice {
  const inLink = readSettings(search.get('settings') ?? '')
  const settings = { ...(known.settings[name] ?? WallSettings.parse({})), ...inLink.settings }
  const linked = search.get('tiles')
  const saved = known.device.find((wall) => wall.name === name)
  const configured = known.configured.find((wall) => wall.name === name)
  const base =
    saved ?? configured ?? (name === '' || linked !== null ? allProjects(name) : undefined)
  const { tiles, ignored } = readTiles(linked ?? '')
  const wall = base && withLink(linked === null ? base : { ...base, tiles: [...tiles] }, search)
  return {
    wall,
    source: sourceOf(linked !== null, wall, saved !== undefined),
    settings,
    ignored: [...ignored, ...inLink.ignored],
  }
}

function sourceOf(
  isLinked: boolean,
  wall: Wall | undefined,
  isSaved: boolean,
): WallChoice['source'] {
  if (isLinked) return 'link'
  if (wall === undefined || wall.tiles.length === 0) return 'arrivals'
  return isSaved ? 'device' : 'configuration'
}

function allProjects(name: string): Wall {
  return { name, tiles: [], order: 'failing-first', group: 'none' }
}

function withLink(wall: Wall, search: URLSearchParams): Wall {
  const order = Wall.shape.order.safeParse(search.get('order') ?? wall.order)
  const group = Wall.shape.group.safeParse(search.get('group') ?? wall.group)
  const title = search.get('title')
  return {
    ...wall,
    ...(title === null || title === '' ? {} : { title }),
    ...(order.success ? { order: order.data } : {}),
    ...(group.success ? { group: group.data } : {}),
  }
}
