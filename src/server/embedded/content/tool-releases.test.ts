import { describe, expect, test } from 'vitest'
import { projects } from './company.ts'
import { releaseAt } from './company.ts'

describe('the releases of a tool', () => {
  test.each(projects)('of $name are newer and newer, and the newest is used', ({ releases }) => {
    const since = releases.map((release) => release.since)
    expect(since).toEqual([...since].sort((one, other) => one - other))
    const now = Date.UTC(2027, 0, 1)
    expect(releaseAt(releases, now, 0)).toBe(releases.at(-1))
    expect(releaseAt(releases, now, 1)).toBe(releases.at(-2))
  })

  test('begin with the first, however long ago, and change on the day', () => {
    const first = { since: 1000, tool: '1', agent: 'a' }
    const second = { since: 2000, tool: '2', agent: 'a' }
    expect(releaseAt([first, second], 0, 0)).toBe(first)
    expect(releaseAt([first, second], 0, 3)).toBe(first)
    expect(releaseAt([first, second], 1999, 0)).toBe(first)
    expect(releaseAt([first, second], 2000, 0)).toBe(second)
    expect(() => releaseAt([], 0, 0)).toThrow(RangeError)
  })
})
