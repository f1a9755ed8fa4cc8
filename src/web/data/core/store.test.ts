import { expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createStore } from './store.ts'

function setUp(graceMs = 0) {
  const clock = createManualClock()
  const log: string[] = []
  const store = createStore(0, {
    clock,
    graceMs,
    open: () => {
      log.push('open')
      return () => log.push('close')
    },
  })
  return { clock, log, store }
}

test('each change is notified once to each listener, also to one that listens twice', () => {
  const { store } = setUp()
  const heard: number[] = []
  const listener = (): void => {
    heard.push(store.getSnapshot())
  }
  const leave = store.subscribe(listener)
  store.subscribe(listener)
  store.set(1)
  expect(heard).toEqual([1, 1])
  leave()
  leave()
  store.set(2)
  expect(heard).toEqual([1, 1, 2])
})

test('who leaves while others are notified hears nothing more', () => {
  const { store } = setUp()
  const heard: string[] = []
  store.subscribe(() => {
    heard.push('first')
    leave()
  })
  const leave = store.subscribe(() => heard.push('second'))
  store.set(1)
  expect(heard).toEqual(['first'])
})

test('the source is open while somebody listens', () => {
  const { log, store } = setUp()
  const one = store.subscribe(() => undefined)
  const other = store.subscribe(() => undefined)
  one()
  expect(log).toEqual(['open'])
  other()
  expect(log).toEqual(['open', 'close'])
  store.subscribe(() => undefined)
  expect(log).toEqual(['open', 'close', 'open'])
})

test('a listener that comes back in time finds the source as it was', () => {
  const { clock, log, store } = setUp(500)
  store.subscribe(() => undefined)()
  clock.advance(499)
  const leave = store.subscribe(() => undefined)
  clock.advance(1000)
  expect(log).toEqual(['open'])
  leave()
  clock.advance(500)
  expect(log).toEqual(['open', 'close'])
})

test('what is set soon is made once, at its time', () => {
  const { clock, store } = setUp()
  let made = 0
  let notified = 0
  store.subscribe(() => (notified += 1))
  for (let times = 0; times < 3; times++) store.setSoon(100, () => (made += 1))
  clock.advance(99)
  expect(store.getSnapshot()).toBe(0)
  clock.advance(1)
  expect([store.getSnapshot(), made, notified]).toEqual([1, 1, 1])
})

test('what is set at once takes the place of what was to be set soon', () => {
  const { clock, store } = setUp()
  store.setSoon(100, () => 1)
  store.set(2)
  clock.advance(200)
  expect(store.getSnapshot()).toBe(2)
})
