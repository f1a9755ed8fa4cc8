import fc from 'fast-check'
import { expect, test } from 'vitest'
import { earliestId, sortableId } from './actions.ts'

const time = fc.integer({ min: 0, max: 2 ** 50 - 2 })

test('ids sort as their times do, and behind the earliest of their time', () => {
  fc.assert(
    fc.property(time, time, (one, other) => {
      const [first, second] = [sortableId(one), sortableId(other)]
      if (one !== other) expect(first < second).toBe(one < other)
      expect(first > earliestId(one)).toBe(true)
      expect(first < earliestId(one + 1)).toBe(true)
    }),
  )
})

test('ids of one time are all different, and of letters and digits', () => {
  const ids = Array.from({ length: 1000 }, () => sortableId(1_780_000_000_000))
  expect(new Set(ids).size).toBe(1000)
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]{26}$/)
})
