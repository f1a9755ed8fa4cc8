import { expect, test } from 'vitest'
import { createManualClock } from '../../protocol/manual-clock.test-support.ts'
import { createTicker } from './time.tsx'

test('all listeners are notified once a second, and read the same time', () => {
  const clock = createManualClock(10_000)
  const ticker = createTicker(clock)
  const read: number[] = []
  ticker.subscribe(() => read.push(ticker.now()))
  ticker.subscribe(() => read.push(ticker.now()))
  clock.advance(2_500)
  expect(read).toEqual([11_000, 11_000, 12_000, 12_000])
  expect(ticker.now()).toBe(12_000)
})

test('nothing ticks when nobody listens', () => {
  const clock = createManualClock()
  const ticker = createTicker(clock)
  const leave = ticker.subscribe(() => undefined)
  leave()
  expect(clock.pending()).toBe(0)
})

test('the time is right at once for who comes after a pause', () => {
  const clock = createManualClock()
  const ticker = createTicker(clock)
  clock.advance(60_000)
  expect(ticker.now()).toBe(60_000)
})

test('between ticks the time is the same for all who read it, also before anybody listens', () => {
  const clock = createManualClock(10_000)
  const ticker = createTicker(clock)
  clock.advance(1500)
  expect(ticker.now()).toBe(11_500)
  clock.advance(999)
  expect(ticker.now()).toBe(11_500)
  clock.advance(1)
  expect(ticker.now()).toBe(12_500)
})

test('the time of the server follows its clock as that becomes known', () => {
  const clock = createManualClock(10_000)
  let difference = 0
  const ticker = createTicker(clock, () => clock.now() + difference)
  const read: number[] = []
  ticker.subscribe(() => read.push(ticker.serverNow()))
  clock.advance(1000)
  difference = 3_600_000
  clock.advance(1000)
  expect(read).toEqual([11_000, 3_612_000])
})

test("the build server's clock is the server's until it is known", () => {
  const clock = createManualClock(10_000)
  const serverNow = () => clock.now() + 60_000
  expect(createTicker(clock, serverNow).buildServerNow()).toBe(70_000)
  expect(createTicker(clock, serverNow, () => clock.now() - 5000).buildServerNow()).toBe(5000)
})
