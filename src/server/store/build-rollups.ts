import { sql, type Transaction } from 'kysely'
import { dayMs, hourMs } from '../../protocol/clock.ts'
import { binOf, eachBin, packBins } from './duration-histogram.ts'
import type { Dialect, Schema } from './schema.ts'

/** Widths of what builds are counted in by when they started, ms: a month is four weeks. */
export const monthMs = 28 * dayMs
const widths = [hourMs, dayMs, monthMs]

/** By what builds are counted together, besides tool and outcome: `pair` is project and branch. */
export const rollupKinds = ['all', 'project', 'branch', 'user', 'pair'] as const
export type RollupKind = (typeof rollupKinds)[number]

/** The index of pairs by their branch. */
export const pairIndex = 'build_rollups_pairs'

/** The number under which the hours, days or months of a kind stand. */
export function seriesNumber(kind: RollupKind, width: number): number {
  return widths.length * rollupKinds.indexOf(kind) + widths.indexOf(width)
}

type PointRow = Schema['build_points']

/** Of builds that are counted together. */
interface Rollup {
  readonly series: number
  readonly bucket: number
  readonly a: number
  readonly b: number
  readonly tool: number
  readonly outcome: number
  builds: number
  /** The bins of their durations. */
  readonly bins: number[]
  cacheHits: number
  cacheable: number
}

/** Adds builds to what is counted (`sign` 1), or takes them away (-1). */
export async function changeRollups(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  rows: readonly PointRow[],
  sign: 1 | -1,
): Promise<void> {
  const changed = new Map<string, Rollup>()
  for (const row of rows) {
    const bin = row.duration_ms === null ? undefined : binOf(row.duration_ms)
    for (const kind of rollupKinds) {
      for (const width of widths) {
        const [a, b] = keysOf(kind, row)
        const place = {
          series: seriesNumber(kind, width),
          bucket: Math.floor(row.start_time / width),
          a,
          b,
          tool: row.tool,
          outcome: row.outcome,
        }
        const key = keyOf(place)
        let rollup = changed.get(key)
        if (rollup === undefined) {
          rollup = { ...place, builds: 0, bins: [], cacheHits: 0, cacheable: 0 }
          changed.set(key, rollup)
        }
        rollup.builds += sign
        rollup.cacheHits += sign * (row.cache_hits ?? 0)
        rollup.cacheable += sign * (row.cacheable ?? 0)
        if (bin !== undefined) rollup.bins.push(bin)
      }
    }
  }
  const all = [...changed.values()]
  for (let start = 0; start < all.length; start += atOnce) {
    await store(transaction, dialect, all.slice(start, start + atOnce), sign)
  }
}

const atOnce = 500

/** Which builds are counted with a build: 0 stands for what isn't known, or doesn't matter. */
function keysOf(kind: RollupKind, row: PointRow): readonly [a: number, b: number] {
  switch (kind) {
    case 'all':
      return [0, 0]
    case 'project':
      return [row.project, 0]
    case 'branch':
      return [row.branch, 0]
    case 'user':
      return [row.user_name, 0]
    case 'pair':
      return [row.project, row.branch]
  }
}

async function store(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  rollups: readonly Rollup[],
  sign: 1 | -1,
): Promise<void> {
  const keys = JSON.stringify(
    rollups.map(({ series, bucket, a, b, tool, outcome }) => [series, bucket, a, b, tool, outcome]),
  )
  const part = (place: number) =>
    dialect === 'postgres'
      ? sql`(wanted.value ->> ${sql.lit(place)})::bigint`
      : sql`(wanted.value ->> ${sql.lit(place)})`
  const wanted =
    dialect === 'postgres'
      ? sql`jsonb_array_elements(${keys}::jsonb) as wanted(value)`
      : sql`json_each(${keys}) as wanted`
  const { rows } = await sql<Schema['build_rollups']>`
    select had.* from ${wanted} cross join build_rollups as had
      where had.series = ${part(0)} and had.bucket = ${part(1)} and had.a = ${part(2)}
        and had.b = ${part(3)} and had.tool = ${part(4)} and had.outcome = ${part(5)}`.execute(
    transaction,
  )
  const known = new Map(rows.map((row) => [keyOf(row), row]))
  const next = rollups.map((rollup) => {
    const { series, bucket, a, b, tool, outcome, builds, bins } = rollup
    const durations = new Map<number, number>()
    for (const bin of bins) durations.set(bin, (durations.get(bin) ?? 0) + sign)
    const had = known.get(keyOf(rollup))
    if (had !== undefined) {
      eachBin(new Uint8Array(had.durations), (bin, count) => {
        durations.set(bin, (durations.get(bin) ?? 0) + count)
      })
    }
    return {
      ...{ series, bucket, a, b, tool, outcome },
      builds: builds + (had?.builds ?? 0),
      durations: packBins(durations),
      cache_hits: rollup.cacheHits + (had?.cache_hits ?? 0),
      cacheable: rollup.cacheable + (had?.cacheable ?? 0),
    }
  })
  await transaction
    .insertInto('build_rollups')
    .values(next)
    .onConflict((conflict) =>
      conflict.columns(['series', 'bucket', 'a', 'b', 'tool', 'outcome']).doUpdateSet((row) => ({
        builds: row.ref('excluded.builds'),
        durations: row.ref('excluded.durations'),
        cache_hits: row.ref('excluded.cache_hits'),
        cacheable: row.ref('excluded.cacheable'),
      })),
    )
    .execute()
  for (const { series, bucket, a, b, tool, outcome, builds } of next) {
    if (builds > 0) continue
    await transaction
      .deleteFrom('build_rollups')
      .where('series', '=', series)
      .where('bucket', '=', bucket)
      .where('a', '=', a)
      .where('b', '=', b)
      .where('tool', '=', tool)
      .where('outcome', '=', outcome)
      .execute()
  }
}

function keyOf({
  series,
  bucket,
  a,
  b,
  tool,
  outcome,
}: Pick<Schema['build_rollups'], 'series' | 'bucket' | 'a' | 'b' | 'tool' | 'outcome'>): string {
  return `${series} ${bucket} ${a} ${b} ${tool} ${outcome}`
}
