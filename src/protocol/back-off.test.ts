import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backOffMs, preferredWait, preferredWaitMs } from './back-off.ts'

const plain = { retryMs: undefined, retryAfterMs: undefined }

describe('the wait before the next attempt', () => {
  test('doubles its bound with each failure, from 2 s to 30 s', () => {
    const longest = [1, 2, 3, 4, 5, 6, 50].map((failures) =>
      backOffMs({ ...plain, failures, random: () => 1 }),
    )
    expect(longest).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  })

  test('is never under 1 s or over 30 s, whatever retry: says', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.nat(100),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (retryMs, failures, random) => {
          const wait = backOffMs({
            failures,
            retryMs,
            retryAfterMs: undefined,
            random: () => random,
          })
          expect(wait).toBeGreaterThanOrEqual(1000)
          expect(wait).toBeLessThanOrEqual(30_000)
        },
      ),
    )
  })

  test('does not undercut retry: or Retry-After, which is believed up to an hour', () => {
    const random = (): number => 0
    expect(backOffMs({ failures: 1, retryMs: 5000, retryAfterMs: undefined, random })).toBe(5000)
    expect(backOffMs({ failures: 1, retryMs: 5000, retryAfterMs: 90_000, random })).toBe(90_000)
    expect(backOffMs({ ...plain, failures: 1, retryAfterMs: 1e12, random })).toBe(3_600_000)
  })
})

test('how long somebody waits is read from a Prefer header however it is written, the first time that it says so', () => {
  expect(preferredWaitMs(preferredWait(1500))).toBe(2000)
  for (const [prefer, ms] of [
    ['respond-async, wait=100', 100_000],
    ['Wait = "10"; soon=1, wait=5', 10_000],
    ['wait', undefined],
    ['wait=-1', undefined],
    ['handling=lenient; wait=5', undefined],
    ['await=5', undefined],
    [null, undefined],
  ] as const) {
    expect(preferredWaitMs(prefer)).toBe(ms)
  }
})
