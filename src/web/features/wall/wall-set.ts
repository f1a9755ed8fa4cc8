import type { TilePeople } from '../../../facts/tile-claim.ts'
import { inTileOrder, isAsleep, tileGroups } from '../../../facts/tile-order.ts'
import type { TileSpell, TileState, TileStatus } from '../../../facts/tile-state.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { Wall } from '../../../protocol/wall.ts'
import type { TileStanding } from '../../data/wall/tile-board.ts'

/** A tile as far as it decides where it stands. */
export interface PlacedTile {
  readonly key: string
  readonly title: string
  readonly query: string
  readonly branch?: string | undefined
  /** What claims name it by (protocol/claim.ts); undefined where its query has a mistake. */
  readonly claimKey?: string | undefined
  readonly people?: TilePeople | undefined
  readonly pinned: boolean
  readonly mistake: string | undefined
  readonly status: TileStatus
  readonly news?: TileState['news']
  readonly since?: TileState['since']
  readonly isOpen?: boolean
  readonly spell: TileSpell
  readonly newest: Facts | undefined
  readonly isLoading: boolean
  readonly unread?: TileStanding['unread']
  /** It is shown as this device kept it. */
  readonly isKept?: boolean
  /** The project or tool under which it stands, where the wall is grouped. */
  readonly group?: string | undefined
}

/** The tiles of a wall in the order in which they are shown. */
export interface WallSet {
  /** What needs somebody, what is pinned, and all of a wall whose tiles keep their places. */
  readonly prominent: readonly PlacedTile[]
  /** What may shrink. */
  readonly quiet: readonly PlacedTile[]
}

/** Puts tiles in the order of their wall and parts those that may shrink from those that may not. */
export function wallSet(
  tiles: readonly PlacedTile[],
  { order, group }: Pick<Wall, 'order' | 'group'>,
): WallSet {
  const ordered = inTileOrder(tiles, order)
  const grouped =
    group === 'none'
      ? ordered
      : tileGroups(ordered, group).flatMap(({ name, tiles: members }) =>
          members.map((tile) => ({ ...tile, group: name })),
        )
  const isProminent = ({ status, pinned, mistake }: PlacedTile): boolean =>
    order === 'stable' || pinned || mistake !== undefined || needsSomebody(status)
  return {
    prominent: grouped.filter(isProminent),
    quiet: grouped.filter((tile) => !isProminent(tile)),
  }
}

function needsSomebody(status: TileStatus): boolean {
  return ['failing', 'flaky', 'slower', 'silent'].includes(status)
}

/**
 * Which pages take turns: those with something red, where there are any, so that nobody has to wait
 * for it; all others without. `tiles` are those of all pages in order.
 */
export function turningPages(
  tiles: readonly Pick<PlacedTile, 'status' | 'people'>[],
  pages: number,
): readonly number[] {
  const all = Array.from({ length: pages }, (_, index) => index)
  const red = all.filter((page) =>
    tilesOfPage(tiles, page, pages).some((tile) => tile.status === 'failing' && !isAsleep(tile)),
  )
  return red.length > 0 ? red : all
}

/** The tiles of one page, the first is 0: dealt in order, none has two more than another. */
export function tilesOfPage<Tile>(
  tiles: readonly Tile[],
  page: number,
  pages: number,
): readonly Tile[] {
  const from = (index: number): number => Math.ceil((index * tiles.length) / pages)
  return tiles.slice(from(page), from(page + 1))
}
