import type { Facts } from '../protocol/facts.ts'

/** Tiles under a common name. */
export interface TileGroup<Tile> {
  /** A project or a tool; undefined for tiles whose builds do not say. */
  readonly name: string | undefined
  readonly tiles: readonly Tile[]
}

/**
 * Tiles grouped by the project or the tool of their newest build. A group stands where its first tile
 * does, so that the order of tiles (tile-order.ts) decides; the one without a name is last.
 */
export function tileGroups<Tile extends { readonly newest: Facts | undefined }>(
  tiles: readonly Tile[],
  by: 'project' | 'tool',
): TileGroup<Tile>[] {
  const groups = new Map<string | undefined, Tile[]>()
  for (const tile of tiles) {
    const name = nameOf(tile.newest, by)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [tile])
    else group.push(tile)
  }
  return [...groups]
    .map(([name, members]) => ({ name, tiles: members }))
    .sort((a, b) => Number(a.name === undefined) - Number(b.name === undefined))
}

function nameOf(newest: Facts | undefined, by: 'project' | 'tool'): string | undefined {
  const name = by === 'project' ? newest?.project : newest?.buildTool
  return name === null || name === '' ? undefined : name
}
