import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAdaptiveWindow } from './board-pool.ts'

/** A service that holds `limit` requests, each for one round; tells how many were taken each round. */
function rounds(limit: number, count: number, most = 64): { taken: number[]; refused: number } {
  const window = createAdaptiveWindow({ start: 24, most })
  const taken: number[] = []
  let refused = 0
  for (let round = 0; round < count; round++) {
    const sent = window.size()
    const held = Math.min(sent, limit)
    for (let left = sent - 1; left >= held; left--) {
      window.refused(left)
      refused += 1
    }
    for (let one = 0; one < held; one++) window.accepted(true)
    taken.push(held)
  }
  return { taken, refused }
}

test('a service without a limit gets all that may be sent in the second round', () => {
  expect(rounds(1000, 4).taken).toEqual([24, 64, 64, 64])
})

test.each([1, 4, 16, 40])('a limit of %i is found and kept, with few refused requests', (limit) => {
  const { taken, refused } = rounds(limit, 200)
  expect(taken.slice(3).every((held) => held === limit)).toBe(true)
  expect(refused).toBeLessThan(80)
})

test('a limit that falls is followed at once, and one that rises is found again', () => {
  const window = createAdaptiveWindow({ start: 24, most: 64 })
  for (let one = 0; one < 30; one++) window.accepted(true)
  expect(window.size()).toBe(64)
  for (let left = 63; left >= 2; left--) window.refused(left)
  expect(window.size()).toBe(2)
  for (let one = 0; one < 5000; one++) window.accepted(true)
  expect(window.size()).toBeGreaterThan(4)
})

test('nothing grows while nobody waits', () => {
  const window = createAdaptiveWindow({ start: 24, most: 64 })
  for (let one = 0; one < 100; one++) window.accepted(false)
  expect(window.size()).toBe(24)
})

test('it stays between one and the most, whatever happens', () => {
  const step = fc.oneof(
    fc.boolean().map((isWanted) => ({ isWanted })),
    fc.nat(200).map((inFlight) => ({ inFlight })),
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 64 }),
      fc.array(step, { maxLength: 300 }),
      (most, all) => {
        const window = createAdaptiveWindow({ start: 24, most })
        for (const one of all) {
          if ('isWanted' in one) window.accepted(one.isWanted)
          else window.refused(one.inFlight)
          expect(window.size()).toBeGreaterThanOrEqual(1)
          expect(window.size()).toBeLessThanOrEqual(most)
        }
      },
    ),
  )
})
