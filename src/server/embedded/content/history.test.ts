import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { BuildMessage } from '../../../protocol/build-message.ts'
import { generateHistory } from './history.ts'
import type { RecordedBuild } from './history.ts'

const friday = Date.UTC(2026, 10, 20, 9, 30)

function history(seed: number, count: number, until = friday): RecordedBuild[] {
  return [...generateHistory({ seed, count, until })]
}

function fingerprint(builds: readonly RecordedBuild[]): string {
  return createHash('sha256').update(JSON.stringify(builds)).digest('hex')
}

function value(build: RecordedBuild, name: string): string {
  return build.attributes?.values?.find((one) => one.name === name)?.value ?? ''
}

/** The builds that have the same key, each group in order of receipt. */
function grouped(
  builds: readonly RecordedBuild[],
  keyOf: (build: RecordedBuild) => string,
): Map<string, RecordedBuild[]> {
  const groups = new Map<string, RecordedBuild[]>()
  for (const build of builds) {
    const key = keyOf(build)
    groups.set(key, [...(groups.get(key) ?? []), build])
  }
  return groups
}

const failed = (build: RecordedBuild): boolean => build.attributes?.hasFailed === true

describe('a history', () => {
  const builds = history(7, 4000)

  test('is the same for the same seed and another for another', () => {
    expect(fingerprint(history(3, 200))).toBe(fingerprint(history(3, 200)))
    expect(fingerprint(history(3, 200))).not.toBe(fingerprint(history(4, 200)))
  })

  test('has exactly as many builds as requested', () => {
    expect(history(1, 0)).toEqual([])
    expect(history(1, 1)).toHaveLength(1)
    expect(builds).toHaveLength(4000)
  })

  test('is in order of receipt and ends right before its end', () => {
    const receipts = builds.map(({ message }) => BuildMessage.parse(message).timestamp)
    expect(receipts).toEqual([...receipts].sort((one, other) => one - other))
    expect(receipts.at(-1)).toBeLessThanOrEqual(friday)
    expect(receipts.at(-1)).toBeGreaterThan(friday - 20 * 60_000)
  })

  test('names no build twice', () => {
    expect(new Set(builds.map(({ message }) => message.buildId)).size).toBe(builds.length)
  })

  test('of 2,000 builds covers two to three working days', () => {
    const first = builds.at(-2000)?.message.timestamp ?? NaN
    const days = (friday - first) / 86_400_000
    expect(days).toBeGreaterThan(1.9)
    expect(days).toBeLessThan(3)
  })

  test('has working days and a quiet weekend', () => {
    const perDay = grouped(builds, ({ message }) => String(new Date(message.timestamp).getUTCDay()))
    const count = (day: number): number => perDay.get(String(day))?.length ?? 0
    expect(count(0)).toBeLessThan(count(3) / 2)
    expect(count(6)).toBeLessThan(count(3) / 2)
  })

  test('that ends later goes on with the same builds', () => {
    const later = history(7, 600, friday + 3 * 3_600_000)
    const shared = later.filter(({ message }) => message.timestamp <= friday)
    expect(shared.length).toBeGreaterThan(100)
    expect(shared).toEqual(builds.slice(-shared.length))
  })

  test('receives builds some seconds after their end, and not in order of their start', () => {
    const starts = builds.map(({ attributes }) => attributes?.buildStartTime ?? NaN)
    for (const { message, attributes } of builds) {
      const end = (attributes?.buildStartTime ?? NaN) + (attributes?.buildDuration ?? NaN)
      expect(message.timestamp).toBeGreaterThan(end)
      expect(message.timestamp - end).toBeLessThan(60_000)
    }
    const overtaken = starts.filter((start, index) => start < (starts[index - 1] ?? 0))
    expect(overtaken.length).toBeGreaterThan(builds.length / 10)
  })

  test('is mostly well on main, and what fails there fails in streaks', () => {
    const onMain = builds.filter((build) => value(build, 'Git branch') === 'main')
    const pairs = [...grouped(onMain, (build) => value(build, 'Git repository')).values()].flatMap(
      (branch) => {
        const commits = [...grouped(branch, (build) => value(build, 'Git commit id')).values()]
        return commits.slice(1).map((commit, index) => ({ before: commits[index] ?? [], commit }))
      },
    )
    const rate = (some: typeof pairs): number =>
      some.filter(({ commit }) => commit.some(failed)).length / some.length
    const afterFailure = pairs.filter(({ before }) => before.some(failed))
    expect(afterFailure.length).toBeGreaterThan(20)
    expect(rate(pairs)).toBeLessThan(0.06)
    expect(rate(afterFailure)).toBeGreaterThan(2 * rate(pairs))
  })

  test('has flaky commits: the same job of the same commit failed and passed', () => {
    const sameWork = grouped(
      builds.filter((build) => build.attributes?.tags?.includes('CI')),
      (build) => `${value(build, 'Git commit id')} ${value(build, 'CI job')}`,
    )
    const both = [...sameWork.values()].filter((some) => some.some(failed) && !some.every(failed))
    expect(both.length).toBeGreaterThan(3)
  })

  test('has a few builds of 1,500 events and more, and mostly ones of 19 to 150', () => {
    const sizes = builds.map(({ events }) => events.length)
    const large = sizes.filter((size) => size >= 1500).length
    expect(large).toBeGreaterThan(2)
    expect(large).toBeLessThan(builds.length / 100)
    const usual = sizes.filter((size) => size >= 19 && size <= 150).length
    expect(usual / builds.length).toBeGreaterThan(0.85)
    const characters = builds.flatMap(({ events }) => events.map(({ length }) => length))
    expect(characters.reduce((sum, length) => sum + length, 0) / builds.length).toBeLessThan(26_000)
  })

  test('moves on to newer versions over the years', () => {
    const versions = (until: number): Set<string> =>
      new Set(
        history(2, 300, until)
          .filter(({ message }) => message.toolType === 'gradle')
          .map(({ message }) => message.toolVersion),
      )
    expect([...versions(friday)].every((version) => version.startsWith('9.'))).toBe(true)
    expect([...versions(Date.UTC(2024, 7, 7))]).toEqual(['8.7'])
  })

  test('may end soon after time began', () => {
    const early = history(1, 100, 26 * 3_600_000)
    expect(early.length).toBeLessThan(100)
    for (const { attributes } of early) expect(attributes?.buildStartTime).toBeGreaterThan(0)
  })
})
