import { describe, expect, test } from 'vitest'
import { generateHistory } from './history.ts'
import { createPresent, type Present } from './history.ts'
import type { RecordedBuild } from './history.ts'
import { createSeededRandom } from './seeded-random.ts'

const friday = Date.UTC(2026, 10, 20, 9, 30)

function present(ratePerSecond: number, options: { eventLoad?: 'full' | 'light' } = {}): Present {
  return createPresent({
    seed: 7,
    ratePerSecond,
    random: createSeededRandom('present'),
    ...options,
  })
}

function arrivals(source: Present, count: number): { builds: RecordedBuild[]; end: number } {
  let now = friday
  const builds = Array.from({ length: count }, () => {
    const { waitMs, build } = source.next(now)
    now += waitMs
    expect(build.message.timestamp).toBe(Math.floor(now))
    return build
  })
  return { builds, end: now }
}

function characters(builds: readonly RecordedBuild[]): number {
  return builds.reduce((sum, { events }) => sum + events.join('').length, 0)
}

describe('the present', () => {
  test.each([0.5, 20, 300])('has %d builds per second on average', (rate) => {
    const { end } = arrivals(present(rate, { eventLoad: 'light' }), 2000)
    const measured = 2000 / ((end - friday) / 1000)
    // Four and a half standard deviations.
    expect(Math.abs(measured / rate - 1)).toBeLessThan(0.1)
  })

  test('is the same for the same chance', () => {
    expect(arrivals(present(5), 50).builds).toEqual(arrivals(present(5), 50).builds)
  })

  test('makes fewer events of each build when there are many of them, by default', () => {
    const full = characters(arrivals(present(10), 300).builds)
    expect(characters(arrivals(present(100), 300).builds)).toBeLessThan(full / 2)
    expect(characters(arrivals(present(100, { eventLoad: 'full' }), 300).builds)).toBeGreaterThan(
      full / 2,
    )
  })

  test.each([0, -1, NaN])('refuses a rate of %d', (rate) => {
    expect(() => present(rate)).toThrow(RangeError)
  })

  test('goes on with the troubles of the past: what was broken still is', () => {
    const outcomesByCommit = (builds: Iterable<RecordedBuild>): Map<string, boolean[]> => {
      const results = new Map<string, boolean[]>()
      for (const { attributes } of builds) {
        const value = (name: string): string =>
          attributes?.values?.find((one) => one.name === name)?.value ?? ''
        const key = value('Git commit id')
        results.set(key, [...(results.get(key) ?? []), attributes?.hasFailed === true])
      }
      return results
    }
    // At the pace of life the commits are those of a history that ends later.
    const history = generateHistory({ seed: 7, count: 900, until: friday + 6 * 3_600_000 })
    const past = outcomesByCommit(history)
    const now = outcomesByCommit(arrivals(present(0.02, { eventLoad: 'light' }), 500).builds)
    const shared = [...now].filter(([commit]) => past.has(commit))
    const rateWhere = (wasFailing: boolean): number => {
      const results = shared
        .filter(([commit]) => (past.get(commit) ?? []).some(Boolean) === wasFailing)
        .flatMap(([, outcomes]) => outcomes)
      expect(results.length).toBeGreaterThan(10)
      return results.filter(Boolean).length / results.length
    }
    expect(rateWhere(true)).toBeGreaterThan(3 * rateWhere(false))
  })
})
