import { describe, expect, test } from 'vitest'
import { createBackoff } from './upstream-fetch.ts'

const seconds = (random: number, times: number): number[] => {
  const backoff = createBackoff(() => random)
  return Array.from({ length: times }, () => backoff.next() / 1000)
}

describe('the wait before another attempt', () => {
  test('lies between a second and a ceiling that doubles up to half a minute', () => {
    expect(seconds(0, 7)).toEqual([1, 1, 1, 1, 1, 1, 1])
    expect(seconds(1, 7)).toEqual([2, 4, 8, 16, 30, 30, 30])
  })

  test('grows up to the given limit, and never below what the server requests', () => {
    const backoff = createBackoff(() => 1, 10_000)
    expect(Array.from({ length: 6 }, () => backoff.next())).toEqual([
      2000, 4000, 8000, 10_000, 10_000, 10_000,
    ])
    expect(backoff.next(90_000)).toBe(90_000)
    backoff.setBase(20_000)
    expect(backoff.next()).toBe(20_000)
  })

  test('starts anew after a success', () => {
    const backoff = createBackoff(() => 1)
    backoff.next()
    backoff.next()
    backoff.reset()
    expect(backoff.next()).toBe(2000)
  })

  test.each([
    [5000, 5000],
    [0, 1000],
    [86_400_000, 30_000],
  ])('is never shorter than the server requests by `retry: %i`, within reason', (asked, wait) => {
    const backoff = createBackoff(() => 0)
    backoff.setBase(asked)
    expect(backoff.next()).toBe(wait)
  })

  test('honours Retry-After', () => {
    const backoff = createBackoff(() => 0)
    expect(backoff.next(90_000)).toBe(90_000)
  })
})
