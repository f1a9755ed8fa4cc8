import type { Wall } from '../../../protocol/wall.ts'
import type { WallSettings } from '../../ui/device-preferences.ts'
import { writeSettings } from './settings-in-link.ts'
import { writeTiles } from '../../domain/wall/tiles-in-link.ts'

/** The address of the wall with this name; '' is the one of all projects. */
export function wallPath(name: string): string {
  return name === '' ? '/wall' : `/wall/${encodeURIComponent(name)}`
}

/**
 * The address of a wall that stands wholly in it, to be opened anywhere. Written so that a person can
 * read it: of the letters that need no escape in an address, none has one.
 */
export function wallLink(wall: Wall, settings: WallSettings): string {
  const parts = [
    ['tiles', writeTiles(wall.tiles)],
    ['title', wall.title ?? ''],
    ['order', wall.order === 'failing-first' ? '' : wall.order],
    ['group', wall.group === 'none' ? '' : wall.group],
    ['settings', writeSettings(settings)],
  ] as const
  const query = parts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${readable(value)}`)
    .join('&')
  const mark = query.length > longestQuery ? '#' : '?'
  return `${wallPath(wall.name)}${query === '' ? '' : `${mark}${query}`}`
}

/** Servers refuse addresses of more than some thousand letters: behind a `#` they never see them. */
const longestQuery = 4000

/** What the address of a wall says of it, wherever it says so. */
export function linkParameters(search: string, hash: string): URLSearchParams {
  const said = new URLSearchParams(search)
  for (const [name, value] of new URLSearchParams(hash.slice(1))) said.set(name, value)
  return said
}

function readable(value: string): string {
  return encodeURIComponent(value)
    .replace(/%(?:3A|3B|2C|2F|40)/g, decodeURIComponent)
    .replace(/%20/g, '+')
}
