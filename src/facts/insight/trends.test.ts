import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Facts } from '../../protocol/facts.ts'
import { runs } from '../../property-runs.test-support.ts'
import { type BuildRows, createBuildRows, createRowWriter } from './build-rows.ts'
import { buildTrends, timeSpan } from './trends.ts'

const day = 86_400_000

const build = fc.record({
  at: fc.integer({ min: 0, max: 10 * day }),
  project: fc.constantFrom(null, 'a', 'b', 'c', 'd', 'e', 'f', 'g'),
  outcome: fc.constantFrom(null, 'succeeded' as const, 'failed' as const),
  durationMs: fc.option(fc.integer({ min: 0, max: 100_000 })),
})

const builds = fc.array(build, { maxLength: 120 }).map((all) =>
  all.map(({ at, ...one }, index): Facts => ({
    ...one,
    buildId: `b${index}`,
    startTime: at,
    receivedAt: at,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
  })),
)

function rowsOf(all: readonly Facts[]): BuildRows {
  const rows = createBuildRows()
  rows.append(createRowWriter()(all))
  return rows
}

/** By nearest rank, as the definition has it: the least value that the share of all don't exceed. */
function plainQuantile(durations: readonly number[], share: number): number | null {
  const sorted = [...durations].sort((a, b) => a - b)
  return sorted.find((_, index) => (index + 1) / sorted.length >= share) ?? null
}

function plainPoint(all: readonly Facts[], from: number) {
  const durations = all.flatMap(({ durationMs }) => durationMs ?? [])
  return {
    from,
    builds: all.length,
    succeeded: all.filter(({ outcome }) => outcome === 'succeeded').length,
    failed: all.filter(({ outcome }) => outcome === 'failed').length,
    p50: plainQuantile(durations, 0.5),
    p95: plainQuantile(durations, 0.95),
    cacheHits: null,
    cacheable: null,
  }
}

test('the time of charts is that of the builds without those dated by a wrong clock', () => {
  const dated = [0, ...Array.from({ length: 40 }, (_, index) => 20_000 * day + index), 2e14]
  const [from, to] = [20_000 * day, 20_000 * day + 39]
  expect(timeSpan(Float64Array.from(dated))).toEqual({ from, to, before: 1, after: 1 })
  expect(timeSpan(new Float64Array())).toBeUndefined()
})

function cutByDays(from: number, to: number) {
  const bounds = Array.from({ length: (to - from) / day + 1 }, (_, index) => from + index * day)
  return { bounds, step: day, to }
}

describe('trends', () => {
  test('are what a plain loop over each stretch of time counts', () => {
    fc.assert(
      fc.property(builds, fc.integer({ min: 1, max: 9 }), (all, days) => {
        const [from, to] = [day, (days + 1) * day]
        const within = all.filter(
          ({ startTime }) => (startTime ?? 0) >= from && (startTime ?? 0) < to,
        )
        const trends = buildTrends(rowsOf(all), cutByDays(from, to))
        expect(trends.builds).toBe(within.length)
        expect(trends.outside).toBe(all.length - within.length)
        expect(trends.series).toHaveLength(1)
        const [series] = trends.series
        expect(series?.points).toEqual(
          Array.from({ length: days }, (_, index) => {
            const at = from + index * day
            return plainPoint(
              within.filter(({ startTime }) => Math.floor((startTime ?? 0) / day) * day === at),
              at,
            )
          }),
        )
        expect(series?.total).toEqual(plainPoint(within, from))
      }),
      { numRuns: runs(300) },
    )
  })

  test('by project have all builds first, then the five largest projects', () => {
    fc.assert(
      fc.property(builds, (all) => {
        const { series } = buildTrends(rowsOf(all), {
          ...cutByDays(0, 11 * day),
          by: 'project',
        })
        const sizes = new Map<string, number>()
        for (const { project } of all) {
          if (typeof project === 'string') sizes.set(project, (sizes.get(project) ?? 0) + 1)
        }
        const largest = [...sizes.values()].sort((a, b) => b - a).slice(0, 5)
        expect(series.map(({ total }) => total?.builds)).toEqual([all.length, ...largest])
        for (const { key, total } of series.slice(1)) {
          expect(total).toEqual(
            plainPoint(
              all.filter(({ project }) => project === key),
              0,
            ),
          )
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('say what came from the cache of those builds of which it is known', () => {
    const of = { startTime: null, outcome: 'succeeded', durationMs: 5 } as const
    const known = { buildToolVersion: '9', agentVersion: '4', buildTool: 'gradle' }
    const all = [0, 1, day, day + 1].map((receivedAt, index): Facts => ({
      ...of,
      ...known,
      buildId: `b${index}`,
      receivedAt,
    }))
    const rows = rowsOf([
      ...all,
      { ...of, ...known, buildTool: 'npm', buildId: 'n', receivedAt: 2 },
    ])
    expect([...rows.withoutCache(9)].sort()).toEqual(['b0', 'b1', 'b2', 'b3'])
    rows.setCache('b0', { hits: 3, cacheable: 4 })
    rows.setCache('b1', { hits: 1, cacheable: 4 })
    rows.setCache('b2', null)
    rows.setCache('of another', { hits: 9, cacheable: 9 })
    expect(rows.withoutCache(9)).toEqual(['b3'])
    expect(rows.caches()).toEqual({ all: 4, known: 3 })
    const [series] = buildTrends(rows, cutByDays(0, 2 * day)).series
    expect(series?.points).toMatchObject([
      { builds: 3, cacheHits: 4, cacheable: 8 },
      { builds: 2, cacheHits: null, cacheable: null },
    ])
    expect(series?.total).toMatchObject({ cacheHits: 4, cacheable: 8 })
  })

  test('are looked up spread over the time of all builds', () => {
    const rows = rowsOf(
      Array.from({ length: 9 }, (_, at) => ({
        ...{ buildId: `b${at}`, receivedAt: at, buildTool: 'maven', buildToolVersion: '3' },
        agentVersion: '1',
      })),
    )
    const [first, ...next] = rows.withoutCache(2)
    expect([first, ...next]).toEqual(['b8', 'b0'])
    expect(new Set(rows.withoutCache(99)).size).toBe(9)
  })

  test('of no builds have empty points', () => {
    const { series, builds: count } = buildTrends(rowsOf([]), cutByDays(0, 2 * day))
    expect(count).toBe(0)
    expect(series[0]?.points.map(({ builds: of, p50 }) => [of, p50])).toEqual([
      [0, null],
      [0, null],
    ])
  })
})
