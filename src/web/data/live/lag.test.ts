import { expect, test } from 'vitest'
import { behindMs, clockDifference } from './lag.ts'

test('a build is behind by the time it took, whatever the clocks of browser and proxy show', () => {
  const hour = 3_600_000
  for (const browserOff of [-hour, 0, hour]) {
    const proxyNow = 1_780_000_000_000
    const difference = clockDifference(proxyNow, proxyNow + browserOff)
    const builtAt = proxyNow + 10_000
    expect(behindMs(builtAt, builtAt + 400 + browserOff, difference)).toBe(400)
  }
})

test('a server whose clock is ahead is not ahead of its time', () => {
  expect(behindMs(1000, 900, 0)).toBe(0)
})
