import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { withAnyOf } from './waiters.ts'

describe('work that ends with any of several signals', () => {
  test('has a signal that aborts with the first of them, for its reason', async () => {
    const [early, late] = [new AbortController(), new AbortController()]
    await withAnyOf([late.signal, early.signal], (signal) => {
      expect(signal.aborted).toBe(false)
      early.abort('the first')
      late.abort('the second')
      expect(signal.reason).toBe('the first')
      return Promise.resolve()
    })
  })

  test('has one that has aborted where one of them has', async () => {
    const over = AbortSignal.abort('over')
    const reason = withAnyOf([new AbortController().signal, over], ({ reason: why }) =>
      Promise.resolve(why),
    )
    await expect(reason).resolves.toBe('over')
  })

  test('leaves nothing behind at any of them, also where it fails', async () => {
    const long = new AbortController()
    const one = withAnyOf([long.signal], () => Promise.reject(new Error('no')))
    await expect(one).rejects.toThrow('no')
    await withAnyOf([long.signal], () => Promise.resolve())
    expect(getEventListeners(long.signal, 'abort')).toEqual([])
  })
})
