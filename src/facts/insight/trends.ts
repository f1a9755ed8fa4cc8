import type { BuildTrends, TrendPoint } from '../../protocol/insight.ts'
import { type BuildRows, outcomeCodes } from './build-rows.ts'

/** From the first to the last start of builds, epoch ms, but for outlying ones. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
  /** How many lie so far before and after the others that these would share one bar. */
  readonly before: number
  readonly after: number
}

/** The time that charts of builds are about, by when each started, ascending. Undefined where there is no build. */
export function timeSpan(times: Float64Array): TimeSpan | undefined {
  const { before, after } = outlying(times)
  const [from, to] = [times[before], times[times.length - 1 - after]]
  return from === undefined || to === undefined ? undefined : { from, to, before, after }
}

const day = 86_400_000
/** At most this share of the builds can be outlying at each end. */
const outlyingShare = 0.05
/** What is so many times as far from the rest as the rest is long, or as a month is, is outlying. */
const outlyingGap = 20

/** How many of these times, ascending, lie too far before and after the others to be drawn with them. */
function outlying(times: Float64Array): { readonly before: number; readonly after: number } {
  const at = (index: number): number => times[index] ?? 0
  const most = times.length < 3 ? 0 : Math.ceil(times.length * outlyingShare)
  const end = times.length - 1
  const isFar = (gap: number, length: number): boolean =>
    gap > outlyingGap * Math.max(30 * day, length)
  let [first, last] = [0, end]
  // The first and the last wide gap: several builds may lie together at one end.
  for (let index = 1; index <= most; index++) {
    if (isFar(at(index) - at(index - 1), at(end - most) - at(index))) first = index
  }
  for (let index = end - 1; index >= end - most && index >= first; index--) {
    if (isFar(at(index + 1) - at(index), at(index) - at(first))) last = index
  }
  return { before: first, after: end - last }
}

export interface TrendRequest {
  /** When each bar begins, and when the last one ends; epoch ms. */
  readonly bounds: readonly number[]
  /** How wide a bar of them is, ms; one of days may be an hour shorter or longer. */
  readonly step: number
  /** Exclusive, epoch ms: the last bar may reach beyond it. Builds that started outside are left out. */
  readonly to: number
  /** A series for each of the largest of these, besides the one of all builds. */
  readonly by?: 'project' | 'branch' | undefined
}

/** Trends, how many builds started outside of their time, and how it is cut. */
export interface FoldedTrends extends BuildTrends, Pick<TrendRequest, 'bounds' | 'step'> {
  readonly outside: number
}

/** In which of the stretches between these times, ascending, another one lies; outside of them -1, or as many as there are. */
export function stretchAt(bounds: readonly number[], time: number): number {
  let [low, high] = [0, bounds.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((bounds[middle] ?? Infinity) <= time) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** So many series besides the one of all builds. */
const mostSeries = 5

/** Trends of all builds first, then of the largest projects or branches; quantiles are exact, by nearest rank. */
export function buildTrends(rows: BuildRows, request: TrendRequest): FoldedTrends {
  const { bounds, step, to, by } = request
  const [from = to] = bounds
  const all: number[] = []
  const members = new Map<number, number[]>()
  const codes = by === undefined ? undefined : rows.codes[by]
  for (let row = 0; row < rows.count(); row++) {
    const at = rows.start.at(row)
    if (at < from || at >= to) continue
    all.push(row)
    const code = codes?.at(row) ?? 0
    if (code === 0) continue
    const list = members.get(code)
    if (list === undefined) members.set(code, [row])
    else list.push(row)
  }
  const largest = [...members]
    .sort(([a, one], [b, other]) => other.length - one.length || a - b)
    .slice(0, mostSeries)
  const seriesOf = (key: string | null, list: readonly number[]) => ({
    key,
    ...foldSeries(rows, list, bounds),
  })
  return {
    builds: all.length,
    outside: rows.count() - all.length,
    ...{ from, to, bounds, step },
    series: [
      seriesOf(null, all),
      ...largest.map(([code, list]) => seriesOf(rows.textOf(code), list)),
    ],
  }
}

function foldSeries(
  rows: BuildRows,
  list: readonly number[],
  bounds: readonly number[],
): { readonly points: TrendPoint[]; readonly total: TrendPoint } {
  const bars = bounds.length - 1
  const builds = new Uint32Array(bars)
  const hits = new Float64Array(bars)
  const cacheable = new Float64Array(bars)
  const succeeded = new Uint32Array(bars)
  const failed = new Uint32Array(bars)
  const ends = new Uint32Array(bars)
  const barOf = (row: number): number => stretchAt(bounds, rows.start.at(row))
  for (const row of list) {
    const bar = barOf(row)
    builds[bar] = (builds[bar] ?? 0) + 1
    const outcome = rows.outcome.at(row)
    if (outcome === outcomeCodes.succeeded) succeeded[bar] = (succeeded[bar] ?? 0) + 1
    else if (outcome === outcomeCodes.failed) failed[bar] = (failed[bar] ?? 0) + 1
    const cache = rows.cacheAt(row)
    if (cache !== null) {
      hits[bar] = (hits[bar] ?? 0) + cache.hits
      cacheable[bar] = (cacheable[bar] ?? 0) + cache.cacheable
    }
    if (!Number.isNaN(rows.duration.at(row))) ends[bar] = (ends[bar] ?? 0) + 1
  }
  // The durations of a bar stand together, from the end of the bar before it.
  for (let bar = 1; bar < bars; bar++) ends[bar] = (ends[bar] ?? 0) + (ends[bar - 1] ?? 0)
  const begins = new Uint32Array(bars)
  begins.set(ends.subarray(0, bars - 1), 1)
  const next = begins.slice()
  const durations = new Float64Array(ends.at(-1) ?? 0)
  for (const row of list) {
    const duration = rows.duration.at(row)
    if (Number.isNaN(duration)) continue
    const bar = barOf(row)
    const place = next[bar] ?? 0
    durations[place] = duration
    next[bar] = place + 1
  }
  const points = Array.from({ length: bars }, (_, bar) => ({
    from: bounds[bar] ?? 0,
    builds: builds[bar] ?? 0,
    succeeded: succeeded[bar] ?? 0,
    failed: failed[bar] ?? 0,
    ...quantilesOf(durations.subarray(begins[bar], ends[bar]).sort()),
    ...cacheOf(hits[bar] ?? 0, cacheable[bar] ?? 0),
  }))
  const sum = (counts: Uint32Array | Float64Array): number =>
    [...counts].reduce((total, count) => total + count, 0)
  const total = {
    from: bounds[0] ?? 0,
    builds: list.length,
    succeeded: sum(succeeded),
    failed: sum(failed),
    ...quantilesOf(durations.sort()),
    ...cacheOf(sum(hits), sum(cacheable)),
  }
  return { points, total }
}

/** Unknown where none of the builds that were looked up had anything that could come from the cache. */
function cacheOf(hits: number, cacheable: number): Pick<TrendPoint, 'cacheHits' | 'cacheable'> {
  return cacheable === 0 ? { cacheHits: null, cacheable: null } : { cacheHits: hits, cacheable }
}

function quantilesOf(sorted: Float64Array): Pick<TrendPoint, 'p50' | 'p95'> {
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) }
}

/** By nearest rank, of ascending numbers; null where there are none. */
export function quantile(sorted: Float64Array, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}
