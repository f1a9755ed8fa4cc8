import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { type BuildFilter, rowFilter } from './build-filter.ts'
import type { Listing } from './build-listing.ts'
import { listingColumns, type StoredBuild, storedBuild } from './build-rows.ts'
import type { Database } from './database.ts'
import { manyValues } from './many-values.ts'
import {
  chooseDriver,
  type DriverStretch,
  driverStretch,
  narrowedByTime,
  type PositionRange,
  rangeOf,
  sqlOf,
} from './search-driver.ts'

/** A build that passed the filter of a search. */
export interface FoundBuild extends StoredBuild {
  /** Its `Facts` as JSON text; undefined where only its message is known. */
  readonly facts: string | undefined
}

/** How a search goes on. */
export interface SearchOptions {
  /** About how many builds are wanted: not many more are read at once. */
  readonly wanted: number
  /** Ends the search early. */
  readonly signal: AbortSignal
}

/** Builds are looked through in stretches of some milliseconds: longer ones where few are found. */
const shortestStretch = 2000
const longestStretch = 16_000
const fewestRows = 50
const mostRows = 500

/**
 * The builds of a listing that pass a filter, in its order, none twice; some at a time, or none
 * where a stretch was looked through in vain. Builds that arrive meanwhile are not among them. No
 * transaction is held, and others have their turn between the stretches. Answers the last position
 * that there was at the beginning: a search that goes on behind it misses nothing.
 */
export async function* searchBuilds(
  database: Database,
  listing: Listing,
  filter: BuildFilter,
  { wanted, signal }: SearchOptions,
): AsyncGenerator<readonly FoundBuild[], number, undefined> {
  // Before the texts are looked up: builds that bring new ones lie behind it.
  const whole = await rangeOf(database, listing)
  const upTo = Math.max(whole.high, listing.after ?? 0)
  const rows = await rowFilter(database, filter)
  if (rows.type === 'none') return upTo
  const newestFirst = listing.newestFirst === true
  const range = await narrowedByTime(database, rows, whole)
  const driver = await chooseDriver(database, rows, range, newestFirst)
  const conditions = [...conditionsOf(listing), sqlOf(database.dialect, rows)]

  let left = range
  let length = shortestStretch
  let limit = Math.min(mostRows, Math.max(fewestRows, wanted))
  while (left.low <= left.high && !signal.aborted) {
    const stretch = driver
      ? await driverStretch(database, driver, rows, left, newestFirst, length)
      : plainStretch(left, newestFirst, length)
    const found = await readRows(database, stretch, conditions, newestFirst, limit)
    yield found
    const at = found.length === limit ? (found.at(-1)?.position ?? stretch.end) : stretch.end
    left = newestFirst ? { ...left, high: at - 1 } : { ...left, low: at + 1 }
    if (found.length < limit / 4) length = Math.min(longestStretch, length * 2)
    limit = Math.min(mostRows, limit * 2)
    await othersTurn()
  }
  return upTo
}

/** Builds to look at, all in a range or some by their positions, and the last one of them. */
type Stretch = DriverStretch | (PositionRange & { readonly end: number })

function plainStretch({ low, high }: PositionRange, newestFirst: boolean, length: number): Stretch {
  const end = newestFirst ? Math.max(low, high - length + 1) : Math.min(high, low + length - 1)
  return newestFirst ? { low: end, high, end } : { low, high: end, end }
}

function conditionsOf({
  receivedFrom,
  receivedBefore,
  toolType,
}: Listing): readonly RawBuilder<SqlBool>[] {
  return [
    receivedFrom === undefined ? undefined : sql<SqlBool>`builds.received_at >= ${receivedFrom}`,
    receivedBefore === undefined ? undefined : sql<SqlBool>`builds.received_at < ${receivedBefore}`,
    toolType === undefined ? undefined : sql<SqlBool>`builds.tool_type = ${toolType}`,
  ].filter((condition) => condition !== undefined)
}

async function readRows(
  { kysely, dialect }: Database,
  stretch: Stretch,
  conditions: readonly RawBuilder<SqlBool>[],
  newestFirst: boolean,
  limit: number,
): Promise<FoundBuild[]> {
  const isByPosition = 'positions' in stretch
  if (isByPosition && stretch.positions.length === 0) return []
  const lies = isByPosition
    ? manyValues(dialect).isNumberAmong('builds.seq', stretch.positions)
    : sql<SqlBool>`builds.seq >= ${stretch.low} and builds.seq <= ${stretch.high}`
  const rows = await kysely
    .selectFrom('builds')
    .leftJoin('build_facts', 'build_facts.build_seq', 'builds.seq')
    .select([...listingColumns, 'build_facts.facts'])
    .where((build) => build.and([lies, ...conditions]))
    .orderBy('builds.seq', newestFirst ? 'desc' : 'asc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...storedBuild(row), facts: row.facts ?? undefined }))
}

/** SQLite answers at once, without letting anybody else run. */
function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
