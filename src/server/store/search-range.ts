import { lastPosition, type Listing } from './build-listing.ts'
import { wholeNumber } from './build-rows.ts'
import type { Database } from './database.ts'
import type { RowFilter } from './row-filter.ts'
import { positionsByStart } from './start-blocks.ts'

/** Positions from `low` to `high`, both included; none where `low` is past `high`. */
export interface PositionRange {
  readonly low: number
  readonly high: number
}

/** Where the builds of a listing lie at this moment. */
export async function rangeOf(
  database: Database,
  { after = 0, before }: Listing,
): Promise<PositionRange> {
  const first = await database.kysely
    .selectFrom('builds')
    .select(({ fn }) => fn.min<number | null>('seq').as('seq'))
    .executeTakeFirst()
  const last = await lastPosition(database)
  return {
    low: Math.max(first?.seq ?? 0, after + 1),
    high: before === undefined ? last : Math.min(last, before - 1),
  }
}

/** The same, no wider than the start time that the filter demands. */
export async function narrowedByTime(
  database: Database,
  filter: RowFilter,
  range: PositionRange,
): Promise<PositionRange> {
  const demanded = filter.type === 'and' ? filter.parts : [filter]
  const times = demanded.flatMap((part) =>
    part.type === 'leaf' && part.leaf.type === 'between' && part.leaf.column === 'start_time'
      ? [part.leaf]
      : [],
  )
  if (times.length === 0) return range
  const low = wholeNumber(Math.max(...times.map((time) => time.low ?? -Infinity)))
  const high = wholeNumber(Math.min(...times.map((time) => time.high ?? Infinity)))
  const found = await positionsByStart(database, low, high)
  if (found === undefined) return { low: 1, high: 0 }
  return { low: Math.max(range.low, found.low), high: Math.min(range.high, found.high) }
}
