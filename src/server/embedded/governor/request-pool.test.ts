import { expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.ts'
import { createRequestPool } from './request-pool.ts'

const here = new AbortController().signal

test('who waits begins when a place is given back, in order, and before whoever comes then', async () => {
  const clock = createManualClock()
  const pool = createRequestPool(1, clock)
  const giveBack = pool.take()
  const begun: string[] = []
  const first = pool.await(here).then((done) => {
    begun.push('first')
    return done
  })
  const second = pool.await(here).then((done) => {
    begun.push('second')
    return done
  })
  giveBack()
  giveBack()
  expect(pool.take).toThrow('too many requests')
  const firstDone = await first
  expect(begun).toEqual(['first'])
  firstDone()
  const secondDone = await second
  secondDone()
  expect(clock.pending()).toBe(0)
  expect(pool.take).not.toThrow()
})

test('nobody waits longer than 30 s, or for somebody who has gone', async () => {
  const clock = createManualClock()
  const pool = createRequestPool(1, clock)
  const giveBack = pool.take()
  const gone = new AbortController()
  const left = pool.await(gone.signal)
  const leftAtOnce = pool.await(AbortSignal.abort())
  const late = pool.await(here)
  gone.abort()
  await expect(left).rejects.toMatchObject({ status: 500 })
  await expect(leftAtOnce).rejects.toMatchObject({ status: 500 })
  clock.advance(30_000)
  await expect(late).rejects.toMatchObject({
    status: 500,
    message: expect.stringContaining('Nothing was published') as unknown,
  })
  expect(clock.pending()).toBe(0)
  giveBack()
  expect(pool.take).not.toThrow()
})

test('a pool has so many places, and a place given back twice counts once', () => {
  const pool = createRequestPool(2, createManualClock())
  const give = pool.take()
  pool.take()
  expect(() => pool.take()).toThrow('too many requests')
  give()
  give()
  pool.take()
  expect(() => pool.take()).toThrow('too many requests')
})
