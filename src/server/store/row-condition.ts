import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { wholeNumber } from './build-rows.ts'
import type { Dialect } from './dialect.ts'
import { manyValues } from './many-values.ts'
import type { RowCondition, RowFilter } from './row-filter.ts'
import type { PositionRange } from './search-range.ts'

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
export function termsSqlOf(
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
