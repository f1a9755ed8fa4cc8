import type { TileStatus } from './tile-state.ts'

/** A tile as the sentence names it. */
export interface SummarisedTile {
  readonly title: string
  readonly status: TileStatus
}

const namedAtMost = 3

/**
 * A wall in one line: "2 failing: checkout, core; 23 healthy". What needs somebody first is named, three
 * of it at most; a wall that is all green says so, and one without tiles too.
 */
export function wallSummary(tiles: readonly SummarisedTile[]): string {
  const titlesOf = (status: TileStatus): string[] =>
    tiles.flatMap((tile) => (tile.status === status ? [tile.title] : []))
  if (tiles.length === 0) return 'No tiles'
  const healthy = titlesOf('healthy').length
  if (healthy === tiles.length)
    return healthy === 1 ? 'The one tile is healthy' : `All ${healthy} healthy`
  const failing = titlesOf('failing')
  const flaky = titlesOf('flaky')
  return [
    named('failing', failing),
    // Beside what fails, its names would fill the line and say less.
    failing.length === 0 ? named('flaky', flaky) : counted('flaky', flaky.length),
    counted('unknown', titlesOf('unknown').length),
    counted('healthy', healthy),
    counted('without builds', titlesOf('empty').length),
  ]
    .filter((part) => part !== undefined)
    .join('; ')
}

function named(word: string, titles: readonly string[]): string | undefined {
  if (titles.length === 0) return undefined
  const more = titles.length - namedAtMost
  const names = titles.slice(0, namedAtMost).map(isolated).join(', ')
  return `${titles.length} ${word}: ${names}${more > 0 ? ` and ${more} more` : ''}`
}

const rightToLeft = /[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u

/** A name that is written from right to left must not draw the numbers behind it to its other side. */
function isolated(title: string): string {
  return rightToLeft.test(title) ? `\u2068${title}\u2069` : title
}

function counted(word: string, count: number): string | undefined {
  return count === 0 ? undefined : `${count} ${word}`
}
