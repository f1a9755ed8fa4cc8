import { expect, test } from 'vitest'
import { generateHistory } from './history.ts'
import { generatePast } from './history.ts'
import { createSeededRandom } from './seeded-random.ts'

const saturdayNight = Date.UTC(2026, 10, 21, 23, 30)
const hour = 3_600_000

function past(count: number, ratePerSecond: number): ReturnType<typeof generatePast> {
  const random = createSeededRandom('past')
  return generatePast({ seed: 1, count, until: saturdayNight, ratePerSecond, random })
}

/** The build that a history of so many, up to `until`, begins with. */
function firstOfHistory(count: number, until: number): unknown {
  return generateHistory({ seed: 1, count, until }).next().value
}

test('the last hour is as busy as the present will be, though it is night', () => {
  const received = Array.from(past(2000, 0.25), ({ message }) => message.timestamp)
  const recent = received.filter((at) => at >= saturdayNight - hour)
  // Four standard deviations of 900.
  expect(Math.abs(recent.length - 900)).toBeLessThan(120)
  expect(received.length - recent.length).toBe(2000)
  expect(received).toEqual([...received].sort((one, other) => one - other))
  expect(received.at(-1)).toBeLessThan(saturdayNight)
})

test('a fast present has no longer a past than half the history is', () => {
  expect(past(2000, 100).next().value).toEqual(firstOfHistory(2000, saturdayNight - 10_000))
})

test('a small past, and one without a present, is the history alone', () => {
  const history = Array.from(
    generateHistory({ seed: 1, count: 50, until: saturdayNight }),
    ({ message }) => message,
  )
  expect(Array.from(past(50, 0.25), ({ message }) => message)).toEqual(history)
  expect(past(2000, 0).next().value).toEqual(firstOfHistory(2000, saturdayNight))
})
