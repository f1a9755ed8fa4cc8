import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMinuteCounts, type Ending } from './minute-counts.ts'

const minute = 60_000
const now = 29_000_000 * minute + 30_000

test('the last sixty minutes are there, oldest first, the current one last', () => {
  const counts = createMinuteCounts()
  counts.add(now)
  counts.add(now - 59 * minute)
  counts.add(now - 60 * minute)
  const last = counts.last(now)
  expect(last).toHaveLength(60)
  expect(last.at(-1)).toEqual({ minute: now - 30_000, succeeded: 0, failed: 0, unknown: 1 })
  expect(last[0]?.unknown).toBe(1)
  expect(last.reduce((sum, { unknown }) => sum + unknown, 0)).toBe(2)
})

test('a build whose outcome becomes known moves within its minute', () => {
  const counts = createMinuteCounts()
  counts.add(now - 5 * minute)
  counts.last(now)
  counts.move(now - 5 * minute, 'unknown', 'failed')
  expect(counts.last(now)[54]).toMatchObject({ succeeded: 0, failed: 1, unknown: 0 })
})

test('the same array is given until something changed or a minute has passed', () => {
  const counts = createMinuteCounts()
  counts.add(now)
  const before = counts.last(now)
  expect(counts.last(now + 1000)).toBe(before)
  expect(counts.last(now + minute)).not.toBe(before)
})

test('builds of a clock that is ahead count as of this minute, and move there', () => {
  const counts = createMinuteCounts()
  counts.add(now + 10 * minute)
  expect(counts.last(now).at(-1)?.unknown).toBe(1)
  counts.move(now + 10 * minute, 'unknown', 'succeeded')
  expect(counts.last(now).at(-1)).toMatchObject({ succeeded: 1, unknown: 0 })
})

test('they agree with counting all builds anew', () => {
  const endings: Ending[] = ['unknown', 'succeeded', 'failed']
  const build = fc.record({
    ago: fc.integer({ min: -3, max: 70 }),
    ending: fc.constantFrom(...endings),
  })
  fc.assert(
    fc.property(fc.array(build, { maxLength: 60 }), fc.nat(4), (builds, looks) => {
      const counts = createMinuteCounts()
      builds.forEach(({ ago }, index) => {
        counts.add(now - ago * minute)
        if (index % (looks + 2) === 0) counts.last(now)
      })
      for (const { ago, ending } of builds) counts.move(now - ago * minute, 'unknown', ending)
      counts.last(now).forEach((shown, index) => {
        const ago = 59 - index
        const here = builds.filter((one) => (ago === 0 ? one.ago <= 0 : one.ago === ago))
        for (const ending of endings) {
          expect(shown[ending]).toBe(here.filter((one) => one.ending === ending).length)
        }
      })
    }),
  )
})
