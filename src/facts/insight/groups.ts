import type { BuildGroup, BuildGrouping, BuildGroups } from '../../protocol/insight.ts'
import { createColumn } from '../column.ts'
import { type BuildRows, outcomeCodes } from './build-rows.ts'
import { timeSpan } from './trends.ts'

/** At most so many groups are returned, and each has so many bars. */
const mostGroups = 200
const barCount = 30

/** Which builds are in which groups, as codes: of each such pair there is a place. */
interface Grouping {
  readonly places: number
  readonly rowAt: (place: number) => number
  readonly codeAt: (place: number) => number
  readonly keyOf: (code: number) => string | null
  /** One more than the highest code. */
  readonly end: number
}

/**
 * Groups builds, largest first. Those that are equally large stand in the order of their keys. A
 * grouping by failure has failed builds only, each in the group of every failure that is known of it,
 * and those of which none is under null.
 */
export function groupBuilds(rows: BuildRows, by: BuildGrouping): BuildGroups {
  const grouping = groupingOf(rows, by)
  const { rowAt, codeAt } = grouping
  const builds = new Float64Array(grouping.end)
  const failed = new Float64Array(grouping.end)
  const unknown = new Float64Array(grouping.end)
  const first = new Float64Array(grouping.end).fill(Infinity)
  const last = new Float64Array(grouping.end).fill(-Infinity)
  const newest = new Float64Array(grouping.end)
  const starts = Float64Array.from({ length: grouping.places }, (_, place) =>
    rows.start.at(rowAt(place)),
  )
  const { from, to } = timeSpan(starts.sort()) ?? { from: 0, to: 0 }
  const see = (row: number, code: number): void => {
    const at = rows.start.at(row)
    if (at < (first[code] ?? 0)) first[code] = at
    if (at > (last[code] ?? 0)) {
      last[code] = at
      newest[code] = row
    }
  }
  // A wrong clock is not when a group was seen, unless it has no other build.
  const outlying: (readonly [row: number, code: number])[] = []
  for (let place = 0; place < grouping.places; place++) {
    const [row, code] = [rowAt(place), codeAt(place)]
    const at = rows.start.at(row)
    builds[code] = (builds[code] ?? 0) + 1
    const outcome = rows.outcome.at(row)
    if (outcome === outcomeCodes.failed) failed[code] = (failed[code] ?? 0) + 1
    if (outcome === outcomeCodes.unknown) unknown[code] = (unknown[code] ?? 0) + 1
    if (at < from || at > to) outlying.push([row, code])
    else see(row, code)
  }
  const alone = outlying.filter(([, code]) => first[code] === Infinity)
  for (const [row, code] of alone) see(row, code)
  const all = [...builds.keys()].filter((code) => (builds[code] ?? 0) > 0)
  const keys = new Map(all.map((code) => [code, grouping.keyOf(code)]))
  const shown = all
    .sort((a, b) => (builds[b] ?? 0) - (builds[a] ?? 0) || compareKeys(keys.get(a), keys.get(b)))
    .slice(0, mostGroups)
  const bars = barsOf(rows, grouping, shown, from, to)
  return {
    builds: rows.count(),
    failed: rows.failures().all,
    allGroups: all.length,
    groups: shown.map((code, place): BuildGroup => {
      const row = newest[code] ?? 0
      const key = keys.get(code) ?? null
      const failure =
        by === 'failure' ? rows.failuresAt(row)?.find((one) => one.key === key)?.failure : undefined
      return {
        key,
        ...(failure === undefined ? {} : { failure }),
        builds: builds[code] ?? 0,
        failed: failed[code] ?? 0,
        unknown: unknown[code] ?? 0,
        firstSeen: first[code] ?? 0,
        lastSeen: last[code] ?? 0,
        newestBuild: rows.idAt(row),
        bars: bars[place] ?? [],
      }
    }),
  }
}

/** What is known of no build comes last. */
function compareKeys(a: string | null | undefined, b: string | null | undefined): number {
  if (a === b) return 0
  if (typeof a !== 'string') return 1
  if (typeof b !== 'string') return -1
  return a < b ? -1 : 1
}

function groupingOf(rows: BuildRows, by: BuildGrouping): Grouping {
  if (by === 'failure') return failureGrouping(rows)
  const each = { places: rows.count(), rowAt: (place: number) => place }
  if (by === 'outcome') {
    const names = [null, 'succeeded', 'failed']
    return {
      ...each,
      codeAt: rows.outcome.at,
      keyOf: (code) => names[code] ?? null,
      end: names.length,
    }
  }
  return { ...each, codeAt: rows.codes[by].at, keyOf: rows.textOf, end: rows.codesEnd() }
}

/** Code 0 is a failed build of which no failure is known. */
function failureGrouping(rows: BuildRows): Grouping {
  const known = new Map<string, number>()
  const keys: (string | null)[] = [null]
  const [rowAt, codeAt] = [createColumn(), createColumn()]
  const add = (row: number, code: number): void => {
    rowAt.push(row)
    codeAt.push(code)
  }
  for (let row = 0; row < rows.count(); row++) {
    if (rows.outcome.at(row) !== outcomeCodes.failed) continue
    const failures = rows.failuresAt(row) ?? []
    if (failures.length === 0) add(row, 0)
    for (const { key } of failures) {
      const code = known.get(key) ?? keys.length
      if (code === keys.length) {
        known.set(key, code)
        keys.push(key)
      }
      add(row, code)
    }
  }
  return {
    places: rowAt.length(),
    rowAt: rowAt.at,
    codeAt: codeAt.at,
    keyOf: (code) => keys[code] ?? null,
    end: keys.length,
  }
}

function barsOf(
  rows: BuildRows,
  grouping: Grouping,
  shown: readonly number[],
  from: number,
  to: number,
): readonly BuildGroup['bars'][] {
  if (shown.length === 0) return []
  const count = Math.min(barCount, to - from + 1)
  const width = Math.ceil((to - from + 1) / count)
  const places = new Map(shown.map((code, place) => [code, place]))
  const builds = new Uint32Array(shown.length * count)
  const failed = new Uint32Array(shown.length * count)
  const unknown = new Uint32Array(shown.length * count)
  for (let pair = 0; pair < grouping.places; pair++) {
    const place = places.get(grouping.codeAt(pair))
    if (place === undefined) continue
    const row = grouping.rowAt(pair)
    const at = rows.start.at(row)
    if (at < from || at > to) continue
    const bar = place * count + Math.floor((at - from) / width)
    builds[bar] = (builds[bar] ?? 0) + 1
    const outcome = rows.outcome.at(row)
    if (outcome === outcomeCodes.failed) failed[bar] = (failed[bar] ?? 0) + 1
    if (outcome === outcomeCodes.unknown) unknown[bar] = (unknown[bar] ?? 0) + 1
  }
  return shown.map((_, place) =>
    Array.from({ length: count }, (_, bar) => ({
      from: from + bar * width,
      builds: builds[place * count + bar] ?? 0,
      failed: failed[place * count + bar] ?? 0,
      unknown: unknown[place * count + bar] ?? 0,
    })),
  )
}
