import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Database } from './database.ts'
import { pairIndex, type RollupKind, seriesNumber } from './build-rollups.ts'
import { manyValues } from './many-values.ts'
import type { Schema } from './schema.ts'

/** Which texts, by their ids (0: none), and endings the counted builds have; absent: any. */
export interface CountFilter {
  readonly project?: readonly number[] | undefined
  readonly branch?: readonly number[] | undefined
  readonly user?: readonly number[] | undefined
  readonly tool?: readonly number[] | undefined
  readonly outcome?: readonly number[] | undefined
}

/** Buckets of a width, both ends in ms and multiples of it, the end exclusive. */
export interface BucketRange {
  readonly width: number
  readonly from: number
  readonly to: number
}

/** Which of the two keys of a rollup builds are told apart by. */
export type KeyColumn = 'a' | 'b'

/** How many builds there are under each of these keys. */
export async function rollupSums(
  { kysely, dialect }: Database,
  kind: RollupKind,
  { column, ids }: { readonly column: KeyColumn; readonly ids: readonly number[] },
  filter: CountFilter,
  range: BucketRange,
): Promise<Map<number, number>> {
  const isWanted = manyValues(dialect).isNumberAmong(column, ids)
  const { rows } = await sql<{ key: number; builds: number | string }>`
    select ${sql.ref(column)} as key, sum(builds) as builds ${rollupsOf(dialect, kind, filter, range)}
        and ${isWanted}
      group by ${sql.ref(column)}`.execute(kysely)
  return new Map(rows.map((row) => [row.key, Number(row.builds)]))
}

/** How many builds there are under each key at least and at most: in buckets that are wholly in a range, and in all that touch it. */
export async function rollupBounds(
  { kysely, dialect }: Database,
  kind: RollupKind,
  column: KeyColumn,
  filter: CountFilter,
  { inner, outer }: { readonly inner: BucketRange; readonly outer: BucketRange },
): Promise<Map<number, { readonly least: number; readonly most: number }>> {
  const isInner = sql`bucket >= ${inner.from / inner.width} and bucket < ${inner.to / inner.width}`
  const { rows } = await sql<{ key: number; least: number | string; most: number | string }>`
    select ${sql.ref(column)} as key, sum(case when ${isInner} then builds else 0 end) as least,
        sum(builds) as most ${rollupsOf(dialect, kind, filter, outer)}
      group by ${sql.ref(column)}`.execute(kysely)
  return new Map(
    rows.map(({ key, least, most }) => [key, { least: Number(least), most: Number(most) }]),
  )
}

/** Builds counted together, with when they started and the key they are told apart by. */
export interface RollupRow {
  readonly key: number
  /** Epoch ms. */
  readonly from: number
  readonly outcome: number
  readonly builds: number
  readonly durations: Uint8Array
  readonly cacheHits: number
  readonly cacheable: number
}

/** What is counted in a range, of these keys or of all together. */
export async function rollupRows(
  { kysely, dialect }: Database,
  kind: RollupKind,
  keys: { readonly column: KeyColumn; readonly ids: readonly number[] } | undefined,
  filter: CountFilter,
  range: BucketRange,
): Promise<RollupRow[]> {
  const key = keys === undefined ? sql`0` : sql.ref(keys.column)
  const isWanted =
    keys === undefined ? sql`1 = 1` : manyValues(dialect).isNumberAmong(keys.column, keys.ids)
  const { rows } = await sql<Schema['build_rollups'] & { key: number }>`
    select ${key} as key, bucket, outcome, builds, durations, cache_hits, cacheable
      ${rollupsOf(dialect, kind, filter, range)} and ${isWanted}`.execute(kysely)
  return rows.map((row) => ({
    key: row.key,
    from: row.bucket * range.width,
    outcome: row.outcome,
    builds: row.builds,
    durations: new Uint8Array(row.durations),
    cacheHits: row.cache_hits,
    cacheable: row.cacheable,
  }))
}

/** Where a search of single builds goes on: after this one, towards older ones. */
export interface PointCursor {
  readonly startTime: number
  readonly position: number
}

/** Single builds that started from `from` up to `to`, epoch ms, newest first, at most `limit`. */
export async function pointRows(
  { kysely, dialect }: Database,
  filter: CountFilter,
  { from, to }: { readonly from: number; readonly to: number },
  before: PointCursor | undefined,
  limit: number,
): Promise<Schema['build_points'][]> {
  return kysely
    .selectFrom('build_points')
    .selectAll()
    .where('start_time', '>=', from)
    .where('start_time', '<', to)
    .where(pointCondition(dialect, filter))
    .where(
      before === undefined
        ? sql<SqlBool>`1 = 1`
        : sql<SqlBool>`(start_time, build_seq) < (${before.startTime}, ${before.position})`,
    )
    .orderBy('start_time', 'desc')
    .orderBy('build_seq', 'desc')
    .limit(limit)
    .execute()
}

/** Builds with the same key and the same ending. */
export interface PointCount {
  readonly key: number
  readonly outcome: number
  readonly builds: number
  /** When the first and the last of them started, epoch ms. */
  readonly first: number
  readonly last: number
  /** The position of the one that came last. */
  readonly newest: number
}

/** Counts single builds that started in a range by a column, and by how they ended. */
export async function countPoints(
  { kysely, dialect }: Database,
  column: 'project' | 'branch' | 'user_name' | 'tool' | 'requested' | 'failure' | 'outcome',
  filter: CountFilter,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<PointCount[]> {
  const { rows } = await sql<PointCount>`
    select ${sql.ref(column)} as key, outcome, count(*) as builds, min(start_time) as first,
      max(start_time) as last, max(build_seq) as newest
    from build_points
    where start_time >= ${from} and start_time < ${to} and ${pointCondition(dialect, filter)}
    group by ${sql.ref(column)}, outcome`.execute(kysely)
  return rows
}

/** The rows of some builds. */
export async function pointsAt(
  { kysely, dialect }: Database,
  positions: readonly number[],
): Promise<Schema['build_points'][]> {
  return kysely
    .selectFrom('build_points')
    .selectAll()
    .where(manyValues(dialect).isNumberAmong('build_seq', positions))
    .execute()
}

/** The ids of builds, and their facts as JSON text, by their positions. */
export async function buildsAt(
  { kysely, dialect }: Database,
  positions: readonly number[],
): Promise<Map<number, { readonly buildId: string; readonly facts: string | null }>> {
  const rows = await kysely
    .selectFrom('builds')
    .leftJoin('build_facts', 'build_facts.build_seq', 'builds.seq')
    .select(['seq', 'build_id', 'facts'])
    .where(manyValues(dialect).isNumberAmong('builds.seq', positions))
    .execute()
  return new Map(rows.map(({ seq, build_id, facts }) => [seq, { buildId: build_id, facts }]))
}

function rollupsOf(
  dialect: Database['dialect'],
  kind: RollupKind,
  filter: CountFilter,
  { width, from, to }: BucketRange,
): RawBuilder<unknown> {
  // Most branches are many projects' own: where some are named, their rows are looked up instead of
  // all rows of the projects. SQLite, which has no statistics of them, is told by which index.
  const isByBranch = kind === 'pair' && filter.branch !== undefined && !filter.branch.includes(0)
  const hint = isByBranch && dialect === 'sqlite' ? sql`indexed by ${sql.ref(pairIndex)}` : sql``
  const isIndexed = isByBranch ? sql`b <> 0` : sql`1 = 1`
  return sql`from build_rollups ${hint}
    where series = ${seriesNumber(kind, width)} and bucket >= ${from / width}
      and bucket < ${to / width} and ${isIndexed} and ${rollupCondition(dialect, kind, filter)}`
}

function rollupCondition(
  dialect: Database['dialect'],
  kind: RollupKind,
  { project, branch, user, tool, outcome }: CountFilter,
): RawBuilder<SqlBool> {
  // Of all builds there is one key: naming it lets the buckets be looked up.
  const first = kind === 'all' ? [0] : kind === 'branch' ? branch : kind === 'user' ? user : project
  return among(dialect, { a: first, ...(kind === 'pair' ? { b: branch } : {}), tool, outcome })
}

function pointCondition(
  dialect: Database['dialect'],
  { project, branch, user, tool, outcome }: CountFilter,
): RawBuilder<SqlBool> {
  return among(dialect, { project, branch, user_name: user, tool, outcome })
}

function among(
  dialect: Database['dialect'],
  wanted: Readonly<Record<string, readonly number[] | undefined>>,
): RawBuilder<SqlBool> {
  const { isNumberAmong } = manyValues(dialect)
  const conditions = Object.entries(wanted).flatMap(([column, ids]) =>
    ids === undefined ? [] : [isNumberAmong(column, ids)],
  )
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `)
}
