import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import {
  addPacked,
  binOf,
  emptyHistogram,
  histogramQuantile,
  packBins,
} from './duration-histogram.ts'

function histogramOf(durations: readonly number[]) {
  const histogram = emptyHistogram()
  for (const ms of durations) {
    const bin = binOf(ms)
    histogram[bin] = (histogram[bin] ?? 0) + 1
  }
  return histogram
}

/** By nearest rank. */
function exact(durations: readonly number[], share: number): number {
  const sorted = durations.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN
}

const someDurations = fc.array(
  fc.oneof(
    fc.integer({ min: 1, max: 100 }),
    fc.integer({ min: 1, max: 5_000_000 }),
    fc.integer({ min: 1, max: 8_000_000_000 }),
  ),
  { minLength: 1, maxLength: 300 },
)

describe('durations in bins', () => {
  test('have quantiles within 5 % of the exact ones', () => {
    fc.assert(
      fc.property(someDurations, fc.constantFrom(0.01, 0.5, 0.95, 1), (durations, share) => {
        const found = histogramQuantile(histogramOf(durations), share) ?? NaN
        const wanted = exact(durations, share)
        // Tenths of a millisecond: of very short ones they are more than that.
        expect(Math.abs(found - wanted)).toBeLessThanOrEqual(Math.max(0.5, wanted * 0.05))
      }),
      { numRuns: runs(1000) },
    )
  })

  test('are the same after packing, and added up as if counted together', () => {
    fc.assert(
      fc.property(someDurations, someDurations, (some, others) => {
        const added = emptyHistogram()
        addPacked(added, packBins(histogramOf(some).entries()))
        expect(added).toEqual(histogramOf(some))
        addPacked(added, packBins(histogramOf(others).entries()))
        expect(added).toEqual(histogramOf([...some, ...others]))
      }),
      { numRuns: runs(300) },
    )
  })

  test('know nothing of what was not counted, and zero as zero', () => {
    expect(histogramQuantile(emptyHistogram(), 0.5)).toBeNull()
    expect(packBins(emptyHistogram().entries())).toHaveLength(0)
    expect(histogramQuantile(histogramOf([0, 0, 9]), 0.5)).toBe(0)
    expect([binOf(Infinity), binOf(NaN), binOf(-1)]).toEqual([299, 0, 0])
    const many = emptyHistogram()
    many[7] = 5_000_000
    addPacked(many, packBins(many.entries()))
    expect(many[7]).toBe(10_000_000)
  })
})
