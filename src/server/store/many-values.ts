import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Dialect } from './schema.ts'

/**
 * Many values as one parameter, so that a statement is short and prepared alike whatever their
 * number: as JSON for SQLite, as an array for PostgreSQL.
 */
export interface ManyValues {
  /** Whether a column of whole numbers has one of these. */
  readonly isNumberAmong: (column: string, values: readonly number[]) => RawBuilder<SqlBool>
  /** Whether a column of texts has one of these. */
  readonly isTextAmong: (column: string, values: readonly string[]) => RawBuilder<SqlBool>
  /** The texts as rows of one column: what an `insert` puts in. */
  readonly textRows: (texts: readonly string[]) => RawBuilder<unknown>
  /** Pairs as rows of two columns, both whole numbers. */
  readonly pairRows: (pairs: readonly (readonly [number, number])[]) => RawBuilder<unknown>
}

/** The spelling of a database. */
export function manyValues(dialect: Dialect): ManyValues {
  return dialect === 'postgres' ? postgres : sqlite
}

const sqlite: ManyValues = {
  isNumberAmong: isAmongJson,
  isTextAmong: isAmongJson,
  textRows: (texts) => sql`select value from json_each(${JSON.stringify(texts)}) where true`,
  pairRows: (pairs) =>
    sql`select value ->> 0, value ->> 1 from json_each(${JSON.stringify(pairs)}) where true`,
}

const postgres: ManyValues = {
  isNumberAmong: (column, values) => sql`${sql.ref(column)} = any(${values}::bigint[])`,
  isTextAmong: (column, values) => sql`${sql.ref(column)} = any(${values}::text[])`,
  textRows: (texts) => sql`select * from unnest(${texts}::text[])`,
  pairRows: (pairs) =>
    sql`select * from unnest(${pairs.map(([first]) => first)}::bigint[], ${pairs.map(([, second]) => second)}::bigint[])`,
}

function isAmongJson(
  column: string,
  values: readonly number[] | readonly string[],
): RawBuilder<SqlBool> {
  return sql`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`
}
