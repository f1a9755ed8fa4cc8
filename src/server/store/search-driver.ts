import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { RowCondition, RowFilter } from './build-filter.ts'
import { lastPosition, type Listing } from './build-listing.ts'
import { wholeNumber } from './build-rows.ts'
import type { Database } from './database.ts'
import { manyValues } from './many-values.ts'
import type { Dialect } from './schema.ts'
import { positionsByStart } from './term-writing.ts'

/** Terms of which every build that is looked for has one, and about how many builds have. */
export interface Driver {
  readonly terms: readonly number[]
  readonly estimate: number
}

/** As many terms are read side by side at most. */
const mostTerms = 32
/** As many builds of a term are looked at to estimate how many there are. */
const probe = 500
/** As many terms are estimated for a search. */
const mostProbes = 50

/**
 * The rarest of the terms that the filter demands; undefined where it demands none, or where most
 * builds have it anyway. Terms are estimated by how far their first builds reach, so that this takes
 * as long for a million builds as for a thousand.
 */
export async function chooseDriver(
  database: Database,
  filter: RowFilter,
  range: PositionRange,
  newestFirst: boolean,
): Promise<Driver | undefined> {
  const estimates = new Map<number, number>()
  const best = await driverOf(filter)
  const mostUseful = (range.high - range.low + 1) / 2
  return best !== undefined && best.estimate < mostUseful ? best : undefined

  async function driverOf(part: RowFilter): Promise<Driver | undefined> {
    switch (part.type) {
      case 'leaf':
        return part.leaf.type === 'has' ? driverOfTerms(part.leaf.terms) : undefined
      case 'and': {
        const drivers = []
        for (const inner of part.parts) drivers.push(await driverOf(inner))
        return drivers.reduce((best, driver) =>
          driver === undefined || (best !== undefined && best.estimate <= driver.estimate)
            ? best
            : driver,
        )
      }
      case 'or': {
        const terms = new Set<number>()
        for (const inner of part.parts) {
          const driver = await driverOf(inner)
          if (driver === undefined) return undefined
          for (const term of driver.terms) terms.add(term)
        }
        return driverOfTerms([...terms])
      }
      case 'every':
      case 'none':
        return undefined
    }
  }

  async function driverOfTerms(terms: readonly number[]): Promise<Driver | undefined> {
    if (terms.length > mostTerms) return undefined
    let estimate = 0
    for (const term of terms) {
      const known = estimates.get(term)
      if (known === undefined && estimates.size >= mostProbes) return undefined
      const one = known ?? (await estimateOf(database, term, range, newestFirst))
      estimates.set(term, one)
      estimate += one
    }
    return { terms, estimate }
  }
}

/** The next builds of a driver that have the other terms of the filter, too. */
export interface DriverStretch {
  readonly positions: readonly number[]
  /** All builds up to here were looked at. */
  readonly end: number
}

/** As many builds are answered at a time. */
const mostPositions = 1000

/**
 * Looks at the next builds of a driver in a range, in the order asked for, by the terms alone: at
 * `length` builds for each of its terms, or fewer.
 */
export async function driverStretch(
  database: Database,
  { terms }: Driver,
  filter: RowFilter,
  range: PositionRange,
  newestFirst: boolean,
  length: number,
): Promise<DriverStretch> {
  const { kysely, dialect } = database
  const order = newestFirst ? sql`desc` : sql`asc`
  let { low, high } = range
  for (const term of terms) {
    const { rows } = await sql<{ build_seq: number }>`
      select build_seq from build_terms where term = ${term} and build_seq >= ${low}
        and build_seq <= ${high} order by build_seq ${order} limit 1 offset ${length - 1}`.execute(
      kysely,
    )
    const [last] = rows
    if (last === undefined) continue
    if (newestFirst) low = last.build_seq
    else high = last.build_seq
  }
  const near = { low, high }
  const one = (term: number) =>
    sql`select * from (select build_seq from build_terms as driver where term = ${term}
      and build_seq >= ${low} and build_seq <= ${high}
      and ${termsSqlOf(dialect, filter, 'driver.build_seq', near)}
      order by build_seq ${order} limit ${mostPositions}) as one`
  const { rows } = await sql<{ build_seq: number }>`
    select build_seq from (${sql.join(terms.map(one), sql` union `)}) as united
    order by build_seq ${order} limit ${mostPositions}`.execute(kysely)
  const positions = rows.map((row) => row.build_seq)
  const last = positions.length < mostPositions ? undefined : positions.at(-1)
  return { positions, end: last ?? (newestFirst ? low : high) }
}

async function estimateOf(
  { kysely }: Database,
  term: number,
  { low, high }: PositionRange,
  newestFirst: boolean,
): Promise<number> {
  const order = newestFirst ? sql`desc` : sql`asc`
  const { rows } = await sql<{ count: number; least: number | null; most: number | null }>`
    select count(*) as count, min(build_seq) as least, max(build_seq) as most from
      (select build_seq from build_terms where term = ${term} and build_seq >= ${low}
        and build_seq <= ${high} order by build_seq ${order} limit ${probe}) as first`.execute(
    kysely,
  )
  const { count = 0, least = null, most = null } = rows[0] ?? {}
  if (count < probe || least === null || most === null) return count
  const reach = newestFirst ? high - least + 1 : most - low + 1
  return (count * (high - low + 1)) / reach
}

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

/** A filter as a condition on the row of a build. */
export function sqlOf(dialect: Dialect, filter: RowFilter): RawBuilder<SqlBool> {
  switch (filter.type) {
    case 'every':
      return sql`1 = 1`
    case 'none':
      return sql`1 = 0`
    case 'and':
    case 'or': {
      const parts = filter.parts.map((part) => sqlOf(dialect, part))
      return sql`(${sql.join(parts, filter.type === 'and' ? sql` and ` : sql` or `)})`
    }
    case 'leaf':
      return sqlOfCondition(dialect, filter.leaf)
  }
}

function sqlOfCondition(dialect: Dialect, condition: RowCondition): RawBuilder<SqlBool> {
  switch (condition.type) {
    case 'has':
      return sql`exists (${havingTerm(dialect, condition.terms, 'builds.seq')})`
    case 'has-not':
      return sql`not exists (${havingTerm(dialect, [condition.term], 'builds.seq')})`
    case 'tool':
      return sql`builds.tool_key = ${condition.key}`
    case 'outcome':
      return manyValues(dialect).isTextAmong('builds.outcome', condition.outcomes)
    case 'not': {
      const holds = sqlOfCondition(dialect, condition.condition)
      // Not known to be so is not so.
      return sql`(not coalesce(${holds}, ${dialect === 'postgres' ? sql`false` : sql`0`}))`
    }
    case 'between': {
      const column = sql.ref(`builds.${condition.column}`)
      const { low, high } = condition
      return sql`(${column} >= ${wholeNumber(low ?? -Infinity)} and ${column} <= ${wholeNumber(high ?? Infinity)})`
    }
  }
}

/** Whether the build at a position, a column, has one of the terms, of positions in a range. */
function havingTerm(
  dialect: Dialect,
  terms: readonly number[],
  position: string,
  range?: PositionRange,
): RawBuilder<unknown> {
  const [only, ...others] = terms
  const isWanted =
    only !== undefined && others.length === 0
      ? sql<SqlBool>`had.term = ${only}`
      : manyValues(dialect).isNumberAmong('had.term', terms)
  const isNear =
    range === undefined
      ? sql``
      : sql` and had.build_seq >= ${range.low} and had.build_seq <= ${range.high}`
  return sql`select 1 from build_terms as had
    where had.build_seq = ${sql.ref(position)} and ${isWanted}${isNear}`
}

/**
 * What a filter demands of the terms of the build at a position, a column, as a condition on the
 * terms alone: true where it demands nothing of them. Positions are in a range.
 */
function termsSqlOf(
  dialect: Dialect,
  filter: RowFilter,
  position: string,
  range: PositionRange,
): RawBuilder<SqlBool> {
  const demanded = filter.type === 'and' ? filter.parts : [filter]
  const conditions = demanded.flatMap((part): RawBuilder<SqlBool>[] => {
    if (part.type !== 'leaf') return []
    if (part.leaf.type === 'has') {
      return [sql`exists (${havingTerm(dialect, part.leaf.terms, position, range)})`]
    }
    if (part.leaf.type !== 'has-not') return []
    return [sql`not exists (${havingTerm(dialect, [part.leaf.term], position, range)})`]
  })
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `)
}
