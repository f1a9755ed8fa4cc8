import { toolName } from '../protocol/build-tool.ts'
import { countText } from '../protocol/count.ts'
import type { Facts } from '../protocol/facts.ts'
import { groupedBy } from '../protocol/keyed.ts'
import type { TilePeople } from './tile-claim.ts'
import type { TileState, TileStatus } from './tile-state.ts'

export interface PlacedTile {
  readonly status: TileStatus
  readonly news?: TileState['news']
  /** No build was seen, as the search for its builds failed, or the server can't be searched: whether there are any is unknown. */
  readonly unread?: 'failed' | 'unsupported' | undefined
  /** Stays in front, whatever its state. */
  readonly pinned: boolean
  /** What people say of it while it fails. */
  readonly people?: TilePeople | undefined
}

/** The states, the loudest first. */
export const tileLoudness = [
  'failing',
  'newly-failing',
  'asleep',
  'flaky',
  'slower',
  'silent',
  'unknown',
  'healthy',
  'empty',
] as const

/** How a tile looks: its status, but that the first failure is apart from one that was seen again, and what sleeps from both. */
export type TileLook = (typeof tileLoudness)[number]

/** The look of a tile. */
export function tileLook(
  tile: Pick<PlacedTile, 'status' | 'news' | 'people' | 'unread'>,
): TileLook {
  const { status, news, unread } = tile
  if (isAsleep(tile)) return 'asleep'
  if (unread !== undefined && status === 'empty') return 'unknown'
  return status === 'failing' && news === 'failed' ? 'newly-failing' : status
}

/** Whether it fails, and sleeps. */
export function isAsleep({ status, people }: Pick<PlacedTile, 'status' | 'people'>): boolean {
  return status === 'failing' && people?.sleep !== undefined
}

function rankOf(tile: PlacedTile): number {
  return tileLoudness.indexOf(tileLook(tile))
}

/** Tiles as a wall shows them: pinned ones, then `failing-first` or `stable`. Equal ones never change places. */
export function inTileOrder<Tile extends PlacedTile>(
  tiles: readonly Tile[],
  order: 'failing-first' | 'stable',
): Tile[] {
  return tiles.toSorted(
    (a, b) =>
      Number(b.pinned) - Number(a.pinned) || (order === 'stable' ? 0 : rankOf(a) - rankOf(b)),
  )
}

export interface TileGroup<Tile> {
  /** A project or a tool; undefined for tiles whose builds do not say. */
  readonly name: string | undefined
  readonly tiles: readonly Tile[]
}

/** Tiles by the project or tool of their newest build, each group where its first tile is, the unnamed one last. */
export function tileGroups<Tile extends { readonly newest: Facts | undefined }>(
  tiles: readonly Tile[],
  by: 'project' | 'tool',
): TileGroup<Tile>[] {
  return [...groupedBy(tiles, ({ newest }) => nameOf(newest, by))]
    .map(([name, members]) => ({ name, tiles: members }))
    .sort((a, b) => Number(a.name === undefined) - Number(b.name === undefined))
}

function nameOf(newest: Facts | undefined, by: 'project' | 'tool'): string | undefined {
  const name = by === 'project' ? newest?.project : toolName(newest?.buildTool ?? '')
  return name === null || name === '' ? undefined : name
}

export interface SummarisedTile extends Pick<PlacedTile, 'status' | 'people' | 'unread'> {
  readonly title: string
}

const namedAtMost = 3
const longestName = 40

/** Where the tiles of a wall come from: somebody defined them, or there is one for each project that was lately built. */
export type TileOrigin = 'defined' | 'arrived'

/** That so many tiles, all of a wall, are healthy: of projects that weren't built lately a wall without defined tiles knows nothing. */
export function allHealthyText(count: number, origin: TileOrigin): string {
  if (origin === 'arrived') {
    return count === 1
      ? 'The one recently built project is healthy'
      : `All ${countText(count)} recently built projects healthy`
  }
  return count === 1 ? 'The one tile is healthy' : `All ${countText(count)} healthy`
}

/**
 * A wall in one line: "2 failing: checkout, core; 23 healthy". What needs attention first is named, three
 * of it at most; a wall that is all green says so, and one without tiles too.
 */
export function wallSummary(tiles: readonly SummarisedTile[], origin: TileOrigin): string {
  const titlesOf = (status: TileStatus): string[] =>
    tiles.flatMap((tile) =>
      tile.status === status && tile.unread === undefined && !isAsleep(tile) ? [tile.title] : [],
    )
  if (tiles.length === 0) return 'No tiles'
  const healthy = titlesOf('healthy').length
  if (healthy === tiles.length) return allHealthyText(healthy, origin)
  const failing = titlesOf('failing')
  const flaky = titlesOf('flaky')
  const unreadFor = (why: SummarisedTile['unread']): number =>
    tiles.filter(({ unread }) => unread === why).length
  return [
    named('failing', failing),
    counted('asleep', tiles.filter(isAsleep).length),
    // Beside what fails, its names would fill the line and say less.
    failing.length === 0 ? named('flaky', flaky) : counted('flaky', flaky.length),
    counted('slower than usual', titlesOf('slower').length),
    counted('silent', titlesOf('silent').length),
    counted('unknown', titlesOf('unknown').length),
    counted('not loaded', unreadFor('failed')),
    counted('without recent builds', unreadFor('unsupported')),
    counted('healthy', healthy),
    counted('without builds', titlesOf('empty').length),
  ]
    .filter((part) => part !== undefined)
    .join('; ')
}

function named(word: string, titles: readonly string[]): string | undefined {
  if (titles.length === 0) return undefined
  const more = titles.length - namedAtMost
  const names = titles.slice(0, namedAtMost).map(shortened).map(isolated).join(', ')
  return `${titles.length} ${word}: ${names}${more > 0 ? ` and ${more} more` : ''}`
}

/** A name of 200 letters would leave no room for the others, and for how many there are. */
function shortened(title: string): string {
  const letters = Array.from(title)
  if (letters.length <= longestName) return title
  return `${letters.slice(0, longestName - 13).join('')}…${letters.slice(-12).join('')}`
}

const rightToLeft = /[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u

/** A name that is written from right to left must not draw the numbers behind it to its other side. */
function isolated(title: string): string {
  return rightToLeft.test(title) ? `\u2068${title}\u2069` : title
}

function counted(word: string, count: number): string | undefined {
  return count === 0 ? undefined : `${count} ${word}`
}
