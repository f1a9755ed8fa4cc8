import { describe, expect, test } from 'vitest'
import { createBuildFailures, failureEventTypes } from '../../../facts/insight/build-failures.ts'
import { readEventHead } from '../../../facts/event.ts'
import { testEventTypes } from '../../../facts/test-cases.ts'
import { generateHistory, type RecordedBuild } from './history.ts'
import { brokenTest, flakyTest, slower, storyAt } from './story.ts'

const hour = 3_600_000

function value(build: RecordedBuild, name: string): string {
  return build.attributes?.values?.find((one) => one.name === name)?.value ?? ''
}

const isFailed = ({ attributes }: RecordedBuild): boolean => attributes?.hasFailed === true

const types = [...failureEventTypes, ...testEventTypes]

/** What lists say of why a build failed. */
function messageOf({ events }: RecordedBuild): string | undefined {
  const reader = createBuildFailures()
  for (const text of events) {
    const head = readEventHead(text)
    if (types.includes(head.eventType)) reader.take(text, head)
  }
  return reader.failures()[0]?.message
}

describe.each([
  ['on a working day', Date.UTC(2026, 10, 19, 16)],
  ['on a Sunday', Date.UTC(2026, 10, 22, 16)],
  ['before dawn', Date.UTC(2026, 10, 20, 4)],
])('the story %s', (_, until) => {
  const builds = [...generateHistory({ seed: 1, count: 2000, until })]
  const { brokenAt, slowerSince } = storyAt(until)
  const main = builds.filter(
    (build) =>
      build.attributes?.rootProjectName === brokenTest.project &&
      value(build, 'Git branch') === 'main',
  )

  test('is of one commit: the one before is well, and it fails wherever its tests are run', () => {
    const culprits = main.filter(
      (build) => isFailed(build) && messageOf(build) === brokenTest.message,
    )
    const commits = new Set(culprits.map((build) => value(build, 'Git commit id')))
    expect(culprits.length).toBeGreaterThan(3)
    expect(commits.size).toBe(1)
    const [first] = culprits
    expect(first?.message.timestamp).toBeGreaterThan(brokenAt)
    expect(first?.message.timestamp).toBeLessThan(brokenAt + hour / 4)
    const before = main[main.findIndex((build) => build === first) - 1]
    expect(before && isFailed(before)).toBe(false)
    expect(before?.message.timestamp).toBeGreaterThan(brokenAt - hour / 4)
    const passed = main.filter((b) => !isFailed(b) && commits.has(value(b, 'Git commit id')))
    for (const { attributes } of passed)
      expect(attributes?.requestedTasks).toContain('spotlessCheck')
  })

  test('leaves the rest of the company mostly well', () => {
    expect(builds.filter(isFailed).length / builds.length).toBeLessThan(0.1)
    const others = builds.filter((b) => value(b, 'Git branch') === 'main' && !main.includes(b))
    expect(others.filter(isFailed).length / others.length).toBeLessThan(0.06)
  })

  test('has a flaky test that fails and then passes, and a project that got slower', () => {
    const flaky = builds.filter(({ events }) => events.some((e) => e.includes(flakyTest.message)))
    expect(flaky.length).toBeGreaterThan(10)
    expect(flaky.filter(isFailed).length).toBeLessThan(flaky.length / 2)
    const durations = builds.filter(
      ({ attributes }) =>
        attributes?.rootProjectName === slower.project && attributes.tags?.includes('CI') === true,
    )
    const median = (some: readonly RecordedBuild[]): number =>
      some.map(({ attributes }) => attributes?.buildDuration ?? 0).sort((a, b) => a - b)[
        some.length >> 1
      ] ?? NaN
    const [before, since] = [true, false].map((isBefore) =>
      durations.filter(({ message }) => message.timestamp < slowerSince === isBefore),
    )
    expect(median(since ?? [])).toBeGreaterThan(1.3 * median(before ?? []))
  })
})
