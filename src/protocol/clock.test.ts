import { expect, onTestFinished, test } from 'vitest'
import { parseTime, steadyTime, wait } from './clock.ts'
import { createManualClock } from './manual-clock.test-support.ts'

test('waiting ends when the time has come, not before', async () => {
  const clock = createManualClock(100)
  let done = false
  const waiting = wait(clock, 50).then(() => (done = true))
  clock.advance(49)
  await Promise.resolve()
  expect(done).toBe(false)
  clock.advance(1)
  await waiting
  expect(clock.now()).toBe(150)
})

test('waiting ends at once on abort and leaves no timer behind', async () => {
  const clock = createManualClock()
  const abort = new AbortController()
  const waiting = wait(clock, 50, abort.signal)
  expect(clock.pending()).toBe(1)
  abort.abort()
  await waiting
  expect(clock.pending()).toBe(0)
  await wait(clock, 50, abort.signal)
})

test('a manual clock calls back in order of time, also what was set meanwhile', () => {
  const clock = createManualClock()
  const heard: string[] = []
  clock.after(20, () => heard.push(`b@${clock.now()}`))
  clock.after(10, () => {
    heard.push(`a@${clock.now()}`)
    clock.after(5, () => heard.push(`c@${clock.now()}`))
  })
  clock.after(15, () => heard.push('never'))()
  clock.advance(30)
  expect(heard).toEqual(['a@10', 'c@15', 'b@20'])
})

test('a time without a zone is the same instant wherever it is read', () => {
  const before = process.env.TZ
  onTestFinished(() => {
    process.env.TZ = before ?? 'UTC'
  })
  process.env.TZ = 'America/New_York'
  const morning = Date.UTC(2026, 10, 1, 8)
  for (const text of ['2026-11-01T08:00', '2026-11-01 08:00:00', '2026-11-01T08:00:00.000000'])
    expect(parseTime(text)).toBe(morning)
  for (const text of ['2026-11-01T08:00Z', '2026-11-01T10:00+02:00', '2026-11-01 08:00:00Z'])
    expect(parseTime(text)).toBe(morning)
  expect(parseTime('2026-11-01')).toBe(Date.UTC(2026, 10, 1))
  expect(parseTime('Sun, 01 Nov 2026 08:00:00 GMT')).toBe(morning)
  for (const text of ['', '7', 'soon', '2026-13-01T08:00'])
    expect(parseTime(text)).not.toBe(morning)
  expect(parseTime('2026-13-01T08:00')).toBeNaN()
})

test('steady time goes on where a clock is set back, and goes ahead with it', () => {
  let date = 1_780_000_000_000
  let passed = 5000.4
  const now = steadyTime(
    () => date,
    () => passed,
  )
  const pass = (ms: number, dateMs = ms): number => {
    passed += ms
    date += dateMs
    return now() - 1_780_000_000_000
  }
  expect(pass(0)).toBe(0)
  expect(pass(1000)).toBe(1000)
  expect(pass(500, -3_600_000)).toBe(1500)
  expect(pass(2000)).toBe(3500)
  // The device slept for an hour, in which nothing was counted.
  date = 1_780_000_000_000 + 3500
  expect(pass(0, 3_600_000)).toBe(3_603_500)
})
