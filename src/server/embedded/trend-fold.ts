import { failureKey } from '../../facts/insight/failure-key.ts'
import { storedFailures } from '../../facts/insight/failure-text.ts'
import { dayMs, hourMs, minuteMs } from '../../protocol/clock.ts'
import { type BuildFailure, Facts } from '../../protocol/facts.ts'
import type { BuildGroup, BuildGrouping, BuildGroups, TrendPoint } from '../../protocol/insight.ts'
import {
  type BucketRange,
  buildsAt,
  type PointCount,
  type RollupRow,
} from '../store/build-counts.ts'
import { outcomeNumbers } from '../store/build-points.ts'
import { monthMs } from '../store/build-rollups.ts'
import type { Database } from '../store/database.ts'
import {
  addPacked,
  binOf,
  type DurationHistogram,
  emptyHistogram,
  histogramQuantile,
} from '../store/duration-histogram.ts'
import type { Schema } from '../store/schema.ts'

/** Epoch ms, the end exclusive. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

/** How time is cut for a trend. */
export interface Shape extends TimeRange {
  readonly step: number
}

const steps = [
  // Shorter ones than an hour are of single builds.
  ...[1, 5, 10].map((count) => count * minuteMs),
  ...[1, 2, 3, 6].map((count) => count * hourMs),
  ...[1, 2, 7, 14, 28, 91, 364].map((count) => count * dayMs),
]
const mostTrendBars = 40

/** In at most 40 parts of a round length, which begin with a minute, hour or day in UTC. */
export function shapeOf({ from, to }: TimeRange): Shape {
  const alignedBy = (step: number): number => {
    const unit = step < hourMs ? minuteMs : step < dayMs ? hourMs : dayMs
    return Math.floor(from / unit) * unit
  }
  const isFitting = (step: number): boolean => (to - alignedBy(step)) / step <= mostTrendBars
  let step = steps.find(isFitting) ?? 728 * dayMs
  while (!isFitting(step)) step *= 2
  return { from: alignedBy(step), to, step }
}

/** What of a range whole hours and days cover that fit into parts of a length, and what is left of it. */
export function pieces(
  { from, to }: TimeRange,
  step: number,
): { readonly buckets: readonly BucketRange[]; readonly edges: readonly TimeRange[] } {
  const [firstHour, endHour] = wholeIn({ from, to }, hourMs)
  if (firstHour >= endHour || step % hourMs !== 0) return { buckets: [], edges: [{ from, to }] }
  const edges = [
    { from, to: firstHour },
    { from: endHour, to },
  ].filter((edge) => edge.from < edge.to)
  const [firstDay, endDay] = wholeIn({ from, to }, dayMs)
  const buckets =
    step % dayMs === 0 && firstDay < endDay
      ? [
          { width: hourMs, from: firstHour, to: firstDay },
          { width: dayMs, from: firstDay, to: endDay },
          { width: hourMs, from: endDay, to: endHour },
        ]
      : [{ width: hourMs, from: firstHour, to: endHour }]
  return { buckets: buckets.filter((bucket) => bucket.from < bucket.to), edges }
}

/** The months within a range, which may be none, and those that it touches. */
export function monthsOf({ from, to }: TimeRange): {
  readonly inner: BucketRange
  readonly outer: BucketRange
} {
  const [first, end] = wholeIn({ from, to }, monthMs)
  return {
    inner: { width: monthMs, from: first, to: Math.max(first, end) },
    outer: {
      width: monthMs,
      from: Math.floor(from / monthMs) * monthMs,
      to: Math.ceil(to / monthMs) * monthMs,
    },
  }
}

function wholeIn({ from, to }: TimeRange, width: number): readonly [from: number, to: number] {
  return [Math.ceil(from / width) * width, Math.floor(to / width) * width]
}

/** What is counted of some builds. */
interface Bar {
  builds: number
  succeeded: number
  failed: number
  durations: DurationHistogram | undefined
  cacheHits: number
  cacheable: number
}

/** Builds in the bars of a trend. */
export interface Fold {
  readonly shape: Shape
  readonly bars: readonly Bar[]
}

/** One without builds. */
export function newFold(shape: Shape): Fold {
  const count = Math.max(0, Math.ceil((shape.to - shape.from) / shape.step))
  return { shape, bars: Array.from({ length: count }, newBar) }
}

function newBar(): Bar {
  const nothing = { builds: 0, succeeded: 0, failed: 0, cacheHits: 0, cacheable: 0 }
  return { ...nothing, durations: undefined }
}

function addTo(
  { shape, bars }: Fold,
  at: number,
  outcome: number,
  builds: number,
  cache: { readonly cacheHits: number; readonly cacheable: number },
  addDurations: (histogram: DurationHistogram) => void,
): void {
  const bar = bars[Math.max(0, Math.floor((at - shape.from) / shape.step))]
  if (bar === undefined) return
  bar.builds += builds
  if (outcome === outcomeNumbers.succeeded) bar.succeeded += builds
  if (outcome === outcomeNumbers.failed) bar.failed += builds
  bar.cacheHits += cache.cacheHits
  bar.cacheable += cache.cacheable
  bar.durations ??= emptyHistogram()
  addDurations(bar.durations)
}

/** All bars as one. */
export function totalOf({ bars }: Fold): Bar {
  const total = newBar()
  const sum = emptyHistogram()
  for (const { builds, succeeded, failed, durations, cacheHits, cacheable } of bars) {
    total.builds += builds
    total.succeeded += succeeded
    total.failed += failed
    total.cacheHits += cacheHits
    total.cacheable += cacheable
    if (durations === undefined) continue
    for (let bin = 0; bin < sum.length; bin += 1) sum[bin] = (sum[bin] ?? 0) + (durations[bin] ?? 0)
  }
  return { ...total, durations: sum }
}

/** Adds a single build. */
export function addPoint(fold: Fold, row: Schema['build_points']): void {
  const cache = { cacheHits: row.cache_hits ?? 0, cacheable: row.cacheable ?? 0 }
  addTo(fold, row.start_time, row.outcome, 1, cache, (durations) => {
    if (row.duration_ms === null) return
    const bin = binOf(row.duration_ms)
    durations[bin] = (durations[bin] ?? 0) + 1
  })
}

/** Adds builds that are counted together. */
export function addRollup(fold: Fold, row: RollupRow): void {
  addTo(fold, row.from, row.outcome, row.builds, row, (durations) => {
    addPacked(durations, row.durations)
  })
}

/** What a bar, which begins at `from`, came to; quantiles are within 5 % of the exact ones. */
export function pointOf(from: number, bar: Bar): TrendPoint {
  const { builds, succeeded, failed, durations, cacheHits, cacheable } = bar
  return {
    from,
    builds,
    succeeded,
    failed,
    p50: durations === undefined ? null : histogramQuantile(durations, 0.5),
    p95: durations === undefined ? null : histogramQuantile(durations, 0.95),
    cacheHits: cacheable === 0 ? null : cacheHits,
    cacheable: cacheable === 0 ? null : cacheable,
  }
}

/** How counts become groups. */
interface GroupOptions {
  readonly by: BuildGrouping
  readonly bars: readonly TimeRange[]
  readonly isAll: boolean
  /** Of an id; null for 0. */
  readonly textOf: (id: number) => string | null
  /** The first id of the same text in any case of letters. */
  readonly foldedId: (id: number) => number
  /** The failures of builds that are counted under an id: itself, or each of several. */
  readonly failuresOf: (id: number) => readonly number[]
}

/** The groups of counts that are each of one group, one bar and one outcome. */
export async function groupsOf(
  database: Database,
  counts: readonly PointCount[],
  { by, bars, isAll, textOf, foldedId, failuresOf }: GroupOptions,
): Promise<BuildGroups> {
  const [firstBar] = bars
  const width = firstBar === undefined ? 1 : firstBar.to - firstBar.from
  const groups = new Map<number, Group>()
  const groupAt = (key: number): Group => {
    const known = groups.get(key)
    if (known !== undefined) return known
    const group = { ...emptyGroup, bars: bars.map(({ from }) => ({ from, builds: 0, failed: 0 })) }
    groups.set(key, group)
    return group
  }
  let [builds, failed] = [0, 0]
  /** By id, how many builds spell their group so. */
  const spelled = new Map<number, number>()
  for (const count of counts) {
    spelled.set(count.key, (spelled.get(count.key) ?? 0) + count.builds)
    const isFailed = count.outcome === outcomeNumbers.failed
    builds += count.builds
    if (isFailed) failed += count.builds
    if (by === 'failure' && !isFailed) continue
    const keys =
      by === 'failure'
        ? failuresOf(count.key)
        : [by === 'outcome' ? count.outcome : foldedId(count.key)]
    for (const group of keys.map(groupAt)) {
      const bar = group.bars[Math.floor((count.first - (firstBar?.from ?? 0)) / width)]
      for (const part of bar === undefined ? [group] : [group, bar]) {
        part.builds += count.builds
        if (isFailed) part.failed += count.builds
      }
      group.first = Math.min(group.first, count.first)
      if (count.last >= group.last) [group.last, group.newest] = [count.last, count.newest]
    }
  }
  const commonest = new Map<number, number>()
  for (const [id, count] of spelled) {
    const known = commonest.get(foldedId(id))
    if (count > (spelled.get(known ?? -1) ?? 0)) commonest.set(foldedId(id), id)
  }
  const keyOf = (key: number): string | null =>
    by === 'outcome'
      ? key === outcomeNumbers.unknown
        ? null
        : key === outcomeNumbers.failed
          ? 'failed'
          : 'succeeded'
      : textOf(key === 0 || by === 'failure' ? key : (commonest.get(key) ?? key))
  const shown = [...groups]
    .sort(([a, one], [b, other]) => other.builds - one.builds || a - b)
    .slice(0, mostGroups)
  const newest = await buildsAt(
    database,
    shown.map(([, { newest: position }]) => position),
  )
  return {
    builds,
    failed,
    isAll,
    allGroups: groups.size,
    groups: shown.flatMap(([key, group]): BuildGroup[] => {
      const build = newest.get(group.newest)
      // It has just been removed, and the others of its group with it or a moment later.
      if (build === undefined) return []
      const failure =
        by === 'failure' && key !== 0 ? failureIn(build.facts, textOf(key)) : undefined
      return [
        {
          key: keyOf(key),
          ...(failure === undefined ? {} : { failure }),
          builds: group.builds,
          failed: group.failed,
          firstSeen: group.first,
          lastSeen: group.last,
          newestBuild: build.buildId,
          bars: group.bars,
        },
      ]
    }),
  }
}

const mostGroups = 200
const mostBars = 30

/** The column that a grouping is by. */
export const groupColumns = {
  project: 'project',
  branch: 'branch',
  user: 'user_name',
  tool: 'tool',
  requested: 'requested',
  failure: 'failure',
  outcome: 'outcome',
} as const

interface Group {
  builds: number
  failed: number
  first: number
  last: number
  newest: number
  readonly bars: { readonly from: number; builds: number; failed: number }[]
}

const emptyGroup = { builds: 0, failed: 0, first: Infinity, last: -Infinity, newest: 0 }

/** A single build as such a count. */
export function countOf(
  row: Schema['build_points'],
  column: (typeof groupColumns)[BuildGrouping],
): PointCount {
  const { start_time: at, outcome, build_seq } = row
  return { key: row[column], outcome, builds: 1, first: at, last: at, newest: build_seq }
}

function failureIn(facts: string | null, key: string | null): BuildFailure | undefined {
  if (facts === null) return undefined
  return storedFailures(Facts.parse(JSON.parse(facts))).find((one) => failureKey(one) === key)
}

/** At most 30 parts, which are equal but for the last one. */
export function barsOf({ from, to }: TimeRange): readonly TimeRange[] {
  const width = Math.ceil((to - from) / mostBars)
  return Array.from({ length: Math.ceil((to - from) / width) }, (_, bar) => ({
    from: from + bar * width,
    to: Math.min(to, from + (bar + 1) * width),
  }))
}
