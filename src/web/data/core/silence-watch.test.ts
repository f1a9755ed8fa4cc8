import { expect, test } from 'vitest'
import type { Clock } from '../../../protocol/clock.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { watchSilence } from './silence-watch.ts'

test('silence is reported once, when it has lasted longer than the limit', () => {
  const clock = createManualClock()
  let lastHeardAt = 0
  let told = 0
  watchSilence({ clock, limitMs: 100, lastHeardAt: () => lastHeardAt, onSilent: () => told++ })
  clock.advance(90)
  lastHeardAt = 90
  clock.advance(100)
  expect(told).toBe(0)
  clock.advance(1)
  expect(told).toBe(1)
  expect(clock.pending()).toBe(0)
})

test('a timer that comes late after a sleep is no proof: bytes may be waiting behind it', () => {
  const clock = createSleepyClock()
  let lastHeardAt = 0
  let told = 0
  watchSilence({ clock, limitMs: 37_500, lastHeardAt: () => lastHeardAt, onSilent: () => told++ })
  clock.sleep(3_600_000)
  clock.run()
  expect(told, 'the first look after the sleep').toBe(0)
  lastHeardAt = clock.now()
  clock.sleep(1000)
  clock.run()
  expect(told, 'bytes came').toBe(0)
  clock.sleep(3_600_000)
  clock.run()
  clock.sleep(1000)
  clock.run()
  expect(told, 'no bytes came after the second sleep').toBe(1)
})

test('silence is found as soon after the clock was set back', () => {
  const clock = createManualClock()
  let setBack = 0
  let told = 0
  const own: Clock = { ...clock, now: () => clock.now() - setBack }
  watchSilence({ clock: own, limitMs: 100, lastHeardAt: () => 0, onSilent: () => told++ })
  setBack = 3_600_000
  clock.advance(101)
  expect(told).toBe(1)
})

test('a watch that was ended leaves no timer', () => {
  const clock = createManualClock()
  const stop = watchSilence({
    clock,
    limitMs: 9,
    lastHeardAt: () => 0,
    onSilent: () => expect.fail(),
  })
  stop()
  expect(clock.pending()).toBe(0)
})

/** Time goes on without its timers, which all come late, as on a machine that slept. */
function createSleepyClock(): Clock & { sleep: (ms: number) => void; run: () => void } {
  let time = 0
  let due: { at: number; callback: () => void }[] = []
  return {
    now: () => time,
    after: (ms, callback) => {
      const timer = { at: time + ms, callback }
      due.push(timer)
      return () => {
        due = due.filter((other) => other !== timer)
      }
    },
    sleep: (ms) => {
      time += ms
    },
    run: () => {
      const ready = due.filter(({ at }) => at <= time)
      due = due.filter(({ at }) => at > time)
      for (const { callback } of ready) callback()
    },
  }
}
