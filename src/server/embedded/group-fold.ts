import { failureKey } from '../../facts/insight/failure-key.ts'
import { storedFailures } from '../../facts/insight/failure-text.ts'
import { type BuildFailure, Facts } from '../../protocol/facts.ts'
import type { BuildGroup, BuildGrouping, BuildGroups } from '../../protocol/insight.ts'
import { buildsAt, type PointCount } from '../store/build-counts.ts'
import { outcomeNumbers } from '../store/build-points.ts'
import type { Database } from '../store/database.ts'
import type { Schema } from '../store/schema.ts'
import type { TimeRange } from './trend-fold.ts'

/** How counts become groups. */
interface GroupOptions {
  readonly by: BuildGrouping
  readonly bars: readonly TimeRange[]
  readonly isAll: boolean
  /** Of an id; null for 0. */
  readonly textOf: (id: number) => string | null
  /** The failures of builds that are counted under an id: itself, or each of several. */
  readonly failuresOf: (id: number) => readonly number[]
}

/** The groups of counts that are each of one group, one bar and one outcome. */
export async function groupsOf(
  database: Database,
  counts: readonly PointCount[],
  { by, bars, isAll, textOf, failuresOf }: GroupOptions,
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
  for (const count of counts) {
    const isFailed = count.outcome === outcomeNumbers.failed
    builds += count.builds
    if (isFailed) failed += count.builds
    if (by === 'failure' && !isFailed) continue
    const keys =
      by === 'failure' ? failuresOf(count.key) : [by === 'outcome' ? count.outcome : count.key]
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
  const keyOf = (key: number): string | null =>
    by === 'outcome'
      ? key === outcomeNumbers.unknown
        ? null
        : key === outcomeNumbers.failed
          ? 'failed'
          : 'succeeded'
      : textOf(key)
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

/** At most 30 equal parts. */
export function barsOf({ from, to }: TimeRange): readonly TimeRange[] {
  const count = Math.min(mostBars, to - from)
  const width = Math.ceil((to - from) / count)
  return Array.from({ length: count }, (_, bar) => ({
    from: from + bar * width,
    to: from + (bar + 1) * width,
  }))
}
