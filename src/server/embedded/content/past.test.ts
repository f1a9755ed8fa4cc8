import { describe, expect, test } from 'vitest'
import { buildsBetween, generateHistory, generatePast } from './history.ts'
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

describe('builds that follow from the time alone', () => {
  const pace = { seed: 1, ratePerSecond: 0.25, begun: saturdayNight - hour }
  const ids = (from: number, to: number): string[] =>
    Array.from(buildsBetween(pace, from, to), ({ message }) => message.buildId)

  test('are the same in any stretch, in order, and one rate before and another after', () => {
    const from = saturdayNight - 3 * hour
    const whole = [...buildsBetween(pace, from, saturdayNight)]
    const parts = [0, 0.7, 1.99, 2.3, 3].map((hours) => from + hours * hour)
    expect(parts.slice(1).flatMap((to, index) => ids(parts[index] ?? 0, to))).toEqual(
      whole.map(({ message }) => message.buildId),
    )
    const received = whole.map(({ message }) => message.timestamp)
    expect(received).toEqual([...received].sort((one, other) => one - other))
    const since = received.filter((at) => at >= pace.begun)
    expect(Math.abs(since.length - 900)).toBeLessThan(120)
    expect(received.length - since.length).toBeLessThan(100)
    expect(new Set(whole.map(({ message }) => message.buildId)).size).toBe(whole.length)
  })

  test('are those of the past that a history has', () => {
    const history = generateHistory({ seed: 1, count: 20, until: pace.begun - 1 })
    const [first, ...rest] = Array.from(history, ({ message }) => message)
    expect(ids(first?.timestamp ?? 0, pace.begun)).toEqual(
      [first, ...rest].map((message) => message?.buildId),
    )
  })
})
