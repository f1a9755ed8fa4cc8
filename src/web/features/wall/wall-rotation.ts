import type { WallSettings } from '../../ui/wall-preferences.ts'
import { wallPath } from './wall-link.ts'

/** The address of the wall whose turn comes after this one; undefined where none take turns. */
export function nextWall(
  name: string,
  { rotate, turn }: Pick<WallSettings, 'rotate' | 'turn'>,
): string | undefined {
  const next = rotate[(rotate.indexOf(name) + 1) % rotate.length]
  if (next === undefined || next === name) return undefined
  // The next wall has to know that it is one of several.
  return `${wallPath(next)}?settings=rotate:${rotate.map(encodeURIComponent).join('+')},turn:${turn}`
}
