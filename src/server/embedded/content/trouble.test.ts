import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { hourMs } from '../../../protocol/clock.ts'
import { troubleAt } from './rhythm.ts'

const november = Date.UTC(2026, 10, 1)

describe('trouble', () => {
  test('takes the share of time that it is said to take, and is broken or flaky as said', () => {
    const one = { seed: 5, name: 'checkout main', share: 0.2, windowHours: 4, flaky: 0.35 }
    const samples = Array.from({ length: 20_000 }, (_, index) =>
      troubleAt(one, november + index * 0.25 * hourMs),
    ).filter((trouble) => trouble !== null)
    expect(samples.length / 20_000).toBeGreaterThan(0.16)
    expect(samples.length / 20_000).toBeLessThan(0.24)
    const flaky = samples.filter(({ kind }) => kind === 'flaky')
    expect(flaky.length / samples.length).toBeGreaterThan(0.25)
    expect(flaky.length / samples.length).toBeLessThan(0.45)
    expect(flaky.every(({ cause }) => cause === 'test')).toBe(true)
  })

  test('lasts: minutes apart it is nearly always the same', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const one = { seed, name: 'main', share: 0.3, windowHours: 4, flaky: 0.3 }
        let changes = 0
        for (let minute = 0; minute < 24 * 60; minute += 5) {
          const now = troubleAt(one, november + minute * 60_000)
          const soon = troubleAt(one, november + (minute + 5) * 60_000)
          if (now?.signature !== soon?.signature) changes++
        }
        // A day has six windows, each with at most one spell.
        expect(changes).toBeLessThanOrEqual(14)
      }),
      { numRuns: runs(20) },
    )
  })
})
