import { expect, test } from 'vitest'
import { wait } from './clock.ts'
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
