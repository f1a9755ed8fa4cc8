import { expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { CheckTimeout, createCheck } from './check.ts'

const limits = { everyMs: 1000, longestMs: 100 }

test('a check runs once for all who want it, and again only after a while', async () => {
  const clock = createManualClock(0)
  let count = 0
  const check = createCheck(clock, limits, () => Promise.resolve((count += 1)))
  expect([check.last(), count]).toEqual([undefined, 0])
  await Promise.all([check.refresh(), check.refresh()])
  clock.advance(999)
  await check.refresh()
  expect(check.last()).toEqual({ at: 0, ok: true, value: 1 })
  clock.advance(1)
  await check.refresh()
  expect(check.last()).toEqual({ at: 1000, ok: true, value: 2 })
  expect(clock.pending()).toBe(0)
})

test('a fault is looked after sooner, whether it was found here or elsewhere', async () => {
  const clock = createManualClock(0)
  let failedAt = -1
  let count = 0
  const often = { ...limits, everyMsAfterFault: 50, isOutdated: (at: number) => failedAt > at }
  const check = createCheck(clock, often, () => Promise.resolve((count += 1)))
  await check.refresh()
  clock.advance(60)
  await check.refresh()
  expect(count).toBe(1)
  failedAt = 60
  await check.refresh()
  expect(count).toBe(2)
  clock.advance(60)
  await check.refresh()
  expect(count).toBe(2)
})

test('one that takes too long is a fault, is aborted, and is not begun again before it ends', async () => {
  const clock = createManualClock(0)
  const begun: AbortSignal[] = []
  let end = (): void => undefined
  const check = createCheck(clock, limits, (signal) => {
    begun.push(signal)
    return new Promise<string>((resolve) => {
      end = () => {
        resolve('late')
      }
    })
  })
  const known = check.refresh()
  clock.advance(100)
  await known
  expect(check.last()).toEqual({ at: 100, ok: false, fault: new CheckTimeout() })
  expect(begun.map(({ aborted }) => aborted)).toEqual([true])
  clock.advance(5000)
  await check.refresh()
  expect(begun).toHaveLength(1)
  end()
  await expect.poll(() => check.last()).toEqual({ at: 5100, ok: true, value: 'late' })
})

test('a fault is kept, and what was thrown after the time is over is no news', async () => {
  const clock = createManualClock(0)
  const check = createCheck(clock, limits, () => Promise.reject(new Error('no')))
  await check.refresh()
  expect(check.last()).toMatchObject({ ok: false, fault: new Error('no') })
})

test('after a fault it is looked at more often, until there is none', async () => {
  const clock = createManualClock(0)
  let isWell = false
  let count = 0
  const check = createCheck(clock, { ...limits, everyMsAfterFault: 50 }, () => {
    count += 1
    return isWell ? Promise.resolve() : Promise.reject(new Error('no'))
  })
  for (let step = 0; step < 10; step += 1) {
    await check.refresh()
    clock.advance(25)
  }
  expect(count).toBe(5)
  isWell = true
  for (let step = 0; step < 10; step += 1) {
    await check.refresh()
    clock.advance(25)
  }
  expect([count, check.last()?.ok]).toEqual([6, true])
})
