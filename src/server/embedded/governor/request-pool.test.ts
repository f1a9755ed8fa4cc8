import { expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createRequestPool, ndjsonResponse, wantsNdjson } from './request-pool.ts'

const here = new AbortController().signal

test('waiting requests start in order when a slot is released, ahead of new ones', async () => {
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

test.each([
  [undefined, false],
  ['*/*', false],
  ['application/json, application/problem+json', false],
  ['application/x-ndjson', true],
  ['application/x-ndjson, application/problem+json', true],
  ['application/json, application/x-ndjson;q=0.9', false],
  ['application/json;q=0.5, application/x-ndjson', true],
  ['application/x-ndjson;q=0', false],
])('Accept: %s requests a stream: %s', (accept, expected) => {
  expect(wantsNdjson(accept)).toBe(expected)
})

test('each result is a line, written before the next one is made', async () => {
  const made: number[] = []
  async function* results() {
    for (const number of [1, 2]) {
      made.push(number)
      yield await Promise.resolve({ number })
    }
  }
  let ends = 0
  const answer = await ndjsonResponse(results(), () => (ends += 1))
  const reader = answer.body?.getReader()
  const first = await reader?.read()
  expect(new TextDecoder().decode(first?.value)).toBe('{"number":1}\n')
  await reader?.read()
  expect((await reader?.read())?.done).toBe(true)
  expect([made, ends]).toEqual([[1, 2], 1])
})

test('a failure half way breaks the stream off', async () => {
  async function* results() {
    yield await Promise.resolve(1)
    throw new Error('the store is gone')
  }
  let ends = 0
  const answer = await ndjsonResponse(results(), () => (ends += 1))
  await expect(answer.text()).rejects.toThrow('the store is gone')
  expect(ends).toBe(1)
})

test('a failure before the first result is none of an answer', async () => {
  const results: AsyncIterable<unknown> = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('the store is gone')) }),
  }
  await expect(ndjsonResponse(results, () => undefined)).rejects.toThrow('the store is gone')
})

test('a client that leaves ends the work', async () => {
  let ends = 0
  async function* results() {
    try {
      for (;;) yield await Promise.resolve(1)
    } finally {
      ends += 10
    }
  }
  const answer = await ndjsonResponse(results(), () => (ends += 1))
  const reader = answer.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  expect(ends).toBe(11)
})

test('a client that leaves while a result is being made ends the work once', async () => {
  let ends = 0
  const made: ((value: IteratorResult<unknown>) => void)[] = []
  const results: AsyncIterable<unknown> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise((resolve) => made.push(resolve)),
      return: () => Promise.resolve({ done: true, value: undefined }),
    }),
  }
  const response = ndjsonResponse(results, () => (ends += 1))
  made[0]?.({ done: false, value: 1 })
  const reader = (await response).body?.getReader()
  await reader?.read()
  const next = reader?.read()
  await expect.poll(() => made.length).toBe(2)
  await reader?.cancel()
  made[1]?.({ done: false, value: 2 })
  await next
  await new Promise((resolve) => setImmediate(resolve))
  expect(ends).toBe(1)
})
