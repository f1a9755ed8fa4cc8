import { dayMs, hourMs } from '../../protocol/clock.ts'
import type { BuildGrouping, BuildGroups, BuildTrends } from '../../protocol/insight.ts'
import { foldCase } from '../../protocol/parsed-text.ts'
import { parse } from '../../search/parse.ts'
import type { Query } from '../../search/tree.ts'
import {
  type CountFilter,
  countPoints,
  type KeyColumn,
  type PointCount,
  type PointCursor,
  pointRows,
  pointsAt,
  rollupBounds,
  rollupRows,
  rollupSums,
} from '../store/build-counts.ts'
import { failuresOf, pointsExtent, type StoredText, textsAfter } from '../store/build-points.ts'
import type { RollupKind } from '../store/build-rollups.ts'
import type { Database } from '../store/database.ts'
import type { Schema } from '../store/schema.ts'
import { type CountedQuery, countedQuery } from './counted-query.ts'
import { findBuilds } from './find-builds.ts'
import {
  addPoint,
  addRollup,
  barsOf,
  countOf,
  type Fold,
  groupColumns,
  groupsOf,
  monthsOf,
  newFold,
  pieces,
  pointOf,
  type Shape,
  shapeOf,
  type TimeRange,
  totalOf,
} from './trend-fold.ts'

/** Builds of a query in groups and over time, from what is counted of them. */
export interface BuildStatistics {
  readonly groups: (request: GroupsRequest) => Promise<BuildGroups>
  readonly trends: (request: TrendsRequest) => Promise<BuildTrends>
}

interface StatisticsRequest {
  readonly query: Query
  readonly now: number
  readonly signal: AbortSignal
}

export interface GroupsRequest extends StatisticsRequest {
  readonly by: BuildGrouping
}

/** Builds that started from `from` up to `to`, epoch ms; without them as far as there are any. */
export interface TrendsRequest extends StatisticsRequest {
  readonly by?: 'project' | 'branch' | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

type PointRow = Schema['build_points']

/** Of other queries than those that are counted, as many of the newest builds are read. */
const mostFound = 10_000
const longestSearchMs = 2000
/** And as many single builds are read where no rollup has what is asked. */
const mostPoints = 50_000
const pageSize = 4000
/**
 * Single builds are counted in slices of time that take the database about so long each; at first in so many, and never in
 * more than so many: on a busy machine each takes its time, however small it is.
 */
const sliceMs = 20
const firstSlices = 1000
const mostSlices = 4000

/** Makes it for a database. `isWhole` says whether every build in it is counted. */
export function createBuildStatistics(options: {
  readonly database: Database
  readonly isWhole: () => boolean
  /** Epoch ms. */
  readonly now: () => number
}): BuildStatistics {
  const { database, isWhole } = options
  const texts = createTextList(database)

  return {
    groups: async ({ query, by, now, signal }) => {
      await texts.refresh()
      const counted = countedQuery(query, now, texts.all())
      const extent = await pointsExtent(database)
      const range = cut(extent, counted, undefined, undefined)
      if (range === undefined) return { builds: 0, groups: [], allGroups: 0, isAll: isWhole() }
      const bars = barsOf(range)
      const column = groupColumns[by]
      if (counted === undefined) {
        const { rows, isAll } = await foundRows({ query, now, signal }, range, extent)
        const counts = rows.map((row) => countOf(row, column))
        const whole = isAll && isWhole()
        return groupsOf(database, counts, { by, bars, isAll: whole, ...texts })
      }
      const counts: PointCount[] = []
      // As long as others can wait, however many builds there are in a bar.
      const least = Math.max(1, Math.ceil((range.to - range.from) / mostSlices))
      let width = (range.to - range.from) / firstSlices
      for (const bar of bars) {
        for (let from = bar.from; from < bar.to && !signal.aborted;) {
          const slice = { from, to: Math.min(bar.to, from + Math.max(least, Math.floor(width))) }
          const begun = options.now()
          counts.push(...(await countPoints(database, column, counted.filter, slice)))
          const took = options.now() - begun
          if (took > sliceMs) width = Math.max(least, width / 2)
          else if (took < sliceMs / 4) width *= 2
          from = slice.to
          await othersTurn()
        }
      }
      return groupsOf(database, counts, { by, bars, isAll: isWhole(), ...texts })
    },

    trends: async ({ query, by, from, to, now, signal }) => {
      await texts.refresh()
      const counted = countedQuery(query, now, texts.all())
      const extent = await pointsExtent(database)
      const range = cut(extent, counted, from, to)
      const shape = shapeOf(range ?? { from: from ?? 0, to: to ?? 0 })
      if (range === undefined) return trendsOf(shape, newFold(shape), [], isWhole())
      const rolled = counted && kindsOf(counted.filter, by)
      if (counted !== undefined && rolled !== undefined) {
        return trendsFromRollups(counted.filter, rolled, range, shape, signal)
      }
      const { rows, isAll } =
        counted === undefined
          ? await foundRows({ query, now, signal }, range, extent)
          : await singleRows(counted.filter, range, mostPoints, signal)
      const all = newFold(shape)
      const byKey = new Map<number, PointRow[]>()
      for (const row of rows) {
        addPoint(all, row)
        const key = by === undefined ? 0 : texts.foldedId(row[by])
        if (key === 0) continue
        const list = byKey.get(key)
        if (list === undefined) byKey.set(key, [row])
        else list.push(row)
      }
      const sums = new Map([...byKey].map(([key, list]) => [key, list.length]))
      const series = largest(sums).map((key) => {
        const fold = newFold(shape)
        for (const row of byKey.get(key) ?? []) addPoint(fold, row)
        return { key, fold }
      })
      return trendsOf(shape, all, series, isAll && isWhole())
    },
  }

  async function trendsFromRollups(
    filter: CountFilter,
    { all: allKind, series }: RolledKinds,
    range: TimeRange,
    shape: Shape,
    signal: AbortSignal,
  ): Promise<BuildTrends> {
    const { buckets, edges } = pieces(range, shape.step)
    const all = newFold(shape)
    const rows: PointRow[] = []
    for (const edge of edges) {
      const { rows: found } = await singleRows(filter, edge, Infinity, signal)
      rows.push(...found)
    }
    for (const row of rows) addPoint(all, row)
    for (const bucket of buckets) {
      for (const row of await rollupRows(database, allKind, undefined, filter, bucket)) {
        addRollup(all, row)
      }
    }
    if (series === undefined) return trendsOf(shape, all, [], isWhole())
    const { kind, column, name } = series
    const keys = await largestKeys(filter, series, range, shape, rows)
    const folds = new Map(keys.map((key) => [key, newFold(shape)]))
    const ids = texts.all().flatMap(({ id }) => (folds.has(texts.foldedId(id)) ? [id] : []))
    for (const row of rows) {
      const fold = folds.get(texts.foldedId(row[name]))
      if (fold !== undefined) addPoint(fold, row)
    }
    for (const bucket of buckets) {
      for (const row of await rollupRows(database, kind, { column, ids }, filter, bucket)) {
        const fold = folds.get(texts.foldedId(row.key))
        if (fold !== undefined) addRollup(fold, row)
      }
      await othersTurn()
    }
    return trendsOf(
      shape,
      all,
      [...folds].map(([key, fold]) => ({ key, fold })),
      isWhole(),
    )
  }

  /**
   * The keys with the most builds. Months tell how many a key has at least and at most: only those
   * that may be among the largest are counted by the day and hour.
   */
  async function largestKeys(
    filter: CountFilter,
    { kind, column, name }: NonNullable<RolledKinds['series']>,
    range: TimeRange,
    { step }: Shape,
    edges: readonly PointRow[],
  ): Promise<readonly number[]> {
    const bounds = await rollupBounds(database, kind, column, filter, monthsOf(range))
    await othersTurn()
    const add = (sums: Map<number, number>, key: number, builds: number): void => {
      const folded = texts.foldedId(key)
      sums.set(folded, (sums.get(folded) ?? 0) + builds)
    }
    const least = new Map<number, number>()
    const most = new Map<number, number>()
    const sums = new Map<number, number>()
    for (const [key, bound] of bounds) {
      add(least, key, bound.least)
      add(most, key, bound.most)
    }
    const [last] = largest(least).slice(mostSeries - 1)
    const enough = last === undefined ? 0 : (least.get(last) ?? 0)
    const ids = [...bounds.keys()].filter(
      (key) => key !== 0 && (most.get(texts.foldedId(key)) ?? 0) >= enough,
    )
    for (const bucket of pieces(range, step < hourMs ? step : dayMs).buckets) {
      const keys = { column, ids }
      for (const [key, builds] of await rollupSums(database, kind, keys, filter, bucket)) {
        add(sums, key, builds)
      }
      await othersTurn()
    }
    for (const row of edges) add(sums, row[name], 1)
    return largest(sums)
  }

  async function singleRows(
    filter: CountFilter,
    range: TimeRange,
    most: number,
    signal: AbortSignal,
  ): Promise<{ readonly rows: readonly PointRow[]; readonly isAll: boolean }> {
    const rows: PointRow[] = []
    let before: PointCursor | undefined
    while (rows.length < most && !signal.aborted) {
      const page = await pointRows(database, filter, range, before, pageSize)
      rows.push(...page)
      const last = page.at(-1)
      if (page.length < pageSize || last === undefined) return { rows, isAll: true }
      before = { startTime: last.start_time, position: last.build_seq }
      await othersTurn()
    }
    return { rows, isAll: false }
  }

  async function foundRows(
    { query, now, signal }: StatisticsRequest,
    range: TimeRange,
    extent: Extent,
  ): Promise<{ readonly rows: readonly PointRow[]; readonly isAll: boolean }> {
    const begun = options.now()
    const isTimeOver = (): boolean => options.now() - begun > longestSearchMs
    const { builds } = await findBuilds(
      database,
      { newestFirst: true },
      { query: within(query, range, extent), now },
      { max: mostFound, isTimeOver, signal },
    )
    const isAll = builds.length < mostFound && !isTimeOver() && !signal.aborted
    const rows: PointRow[] = []
    const positions = builds.map(({ position }) => position)
    for (let start = 0; start < positions.length; start += pageSize) {
      rows.push(...(await pointsAt(database, positions.slice(start, start + pageSize))))
    }
    return { rows, isAll }
  }

  function trendsOf(
    shape: Shape,
    all: Fold,
    series: readonly { readonly key: number; readonly fold: Fold }[],
    isAll: boolean,
  ): BuildTrends {
    return {
      builds: totalOf(all).builds,
      isAll,
      from: shape.from,
      to: shape.to,
      series: [{ key: null, fold: all }, ...series].map(({ key, fold }) => ({
        key: key === null ? null : texts.textOf(key),
        points: fold.bars.map((bar, place) => pointOf(shape.from + place * shape.step, bar)),
        total: pointOf(shape.from, totalOf(fold)),
      })),
    }
  }
}

const mostSeries = 5

type Extent = Awaited<ReturnType<typeof pointsExtent>>

/** When builds may have started that are asked for; undefined where there are none. */
function cut(
  { first, last }: Extent,
  counted: CountedQuery | undefined,
  from: number | undefined,
  to: number | undefined,
): TimeRange | undefined {
  if (first === null || last === null) return undefined
  const range = {
    from: Math.max(from ?? first, counted?.from ?? -Infinity),
    to: Math.min(to ?? last + 1, counted?.to ?? Infinity),
  }
  const begin = Math.max(0, Math.floor(range.from === -Infinity ? first : range.from))
  const end = Math.ceil(range.to === Infinity ? last + 1 : range.to)
  return begin < end ? { from: begin, to: end } : undefined
}

/** Which rollups have all builds of a filter together, and those of each project or branch. */
interface RolledKinds {
  readonly all: RollupKind
  readonly series:
    | { readonly kind: RollupKind; readonly column: KeyColumn; readonly name: 'project' | 'branch' }
    | undefined
}

/** Undefined where no rollup tells apart what is asked. */
function kindsOf(
  { project, branch, user }: CountFilter,
  by: 'project' | 'branch' | undefined,
): RolledKinds | undefined {
  const kindOf = (hasProject: boolean, hasBranch: boolean): RollupKind | undefined => {
    if (user !== undefined) return hasProject || hasBranch ? undefined : 'user'
    if (hasProject && hasBranch) return 'pair'
    return hasProject ? 'project' : hasBranch ? 'branch' : 'all'
  }
  const all = kindOf(project !== undefined, branch !== undefined)
  if (all === undefined) return undefined
  if (by === undefined) return { all, series: undefined }
  const kind = kindOf(
    project !== undefined || by === 'project',
    branch !== undefined || by === 'branch',
  )
  if (kind === undefined) return undefined
  const column = kind === 'pair' && by === 'branch' ? 'b' : 'a'
  return { all, series: { kind, column, name: by } }
}

function largest(sums: ReadonlyMap<number, number>): readonly number[] {
  return [...sums]
    .filter(([key]) => key !== 0)
    .sort(([a, one], [b, other]) => other - one || a - b)
    .slice(0, mostSeries)
    .map(([key]) => key)
}

/**
 * The query, of builds that started in a range. A build whose start isn't known is in none but one that
 * all builds are in.
 */
function within(query: Query, { from, to }: TimeRange, { first, last }: Extent): Query {
  const iso = (at: number): string => new Date(Math.min(at, lastWritten)).toISOString()
  const times = [
    ...(from <= (first ?? 0) ? [] : [`buildStartTime>=${iso(from)}`]),
    ...(to > (last ?? 0) ? [] : [`buildStartTime<${iso(to)}`]),
  ]
  if (times.length === 0) return query
  return parse([...(query.root === undefined ? [] : [`(${query.text})`]), ...times].join(' and '))
}

/** Years with more digits cannot be written in a query. */
const lastWritten = Date.UTC(10_000, 0) - 1

/** The texts that builds are counted under; they are only ever added to. */
function createTextList(database: Database) {
  const all: StoredText[] = []
  const byId = new Map<number, string>()
  const sets = new Map<number, readonly number[]>()
  const firstIds = new Map<string, number>()
  const foldedIds = new Map<number, number>()
  return {
    all: (): readonly StoredText[] => all,
    /** Null for 0. */
    textOf: (id: number): string | null => byId.get(id) ?? null,
    /** The first id of the same text in any case of letters, as queries tell none apart. */
    foldedId: (id: number): number => foldedIds.get(id) ?? id,
    failuresOf: (id: number): readonly number[] => sets.get(id) ?? [id],
    refresh: async (): Promise<void> => {
      for (const text of await textsAfter(database, all.at(-1)?.id ?? 0)) {
        if (byId.has(text.id)) continue
        all.push(text)
        byId.set(text.id, text.text)
        const folded = `${text.kind} ${foldCase(text.text)}`
        // An empty text is none.
        const first = text.text === '' ? 0 : (firstIds.get(folded) ?? text.id)
        firstIds.set(folded, first)
        foldedIds.set(text.id, first)
        const set = failuresOf(text)
        if (set !== undefined) sets.set(text.id, set)
      }
    },
  }
}

/** SQLite answers at once, without letting anybody else run. */
function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
