import { expect, test } from 'vitest'
import { type BuildSummary, isAscending } from './build-data.ts'

/** A list that begins with the newest, or the oldest, builds; its pages have room for two. */
function listOf(isNewestFirst: boolean, times: number[]) {
  const buildOf = (availableAt: number, index: number): BuildSummary => ({
    ...{ id: `b${index}`, availableAt },
    ...{ buildToolType: 'gradle', buildToolVersion: '9', buildAgentVersion: '4' },
  })
  const page = () => {
    const builds = times.map(buildOf)
    return (isNewestFirst ? builds.reverse() : builds).slice(0, 2)
  }
  const since = async (time: number) =>
    Promise.resolve(
      times
        .map(buildOf)
        .filter(({ availableAt }) => availableAt >= time)
        .slice(0, 1),
    )
  return { page, since, again: async () => Promise.resolve(page()) }
}

test.each([
  [true, [1, 2], false],
  [false, [1, 2], true],
  [true, [1, 1], false],
  [false, [1, 1], false],
  [true, [1, 1, 2, 2], false],
  [false, [1, 1, 2, 2], true],
])(
  'of a list, newest first %s, of builds of the moments %j: %s',
  async (first, times, expected) => {
    const { page, ...more } = listOf(first, times)
    expect(await isAscending(page(), more)).toBe(expected)
  },
)

test.each([
  [true, [5], false],
  [true, [5, 5], false],
  [false, [5], true],
])(
  'builds that come between two requests are no sign of another order, newest first %s: %j',
  async (first, news, expected) => {
    const times = [1, 1]
    const { page, ...more } = listOf(first, times)
    const before = page()
    times.push(...news)
    expect(await isAscending(before, more)).toBe(expected)
  },
)
