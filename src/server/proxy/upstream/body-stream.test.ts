import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { bodyStream, createBodyCopy } from './body-stream.ts'
import type { UpstreamResponse } from './upstream-client.ts'

/** An answer whose body is told piece by piece, and what became of it. */
function answer(body: AsyncIterable<Uint8Array>): UpstreamResponse & { cancelled: number } {
  const response = {
    status: 200,
    url: 'http://upstream.invalid/',
    wasGzip: false,
    isOpenEnded: false,
    header: () => null,
    body,
    cancelled: 0,
    cancel: () => {
      response.cancelled++
    },
  }
  return response
}

test('a chunk is pulled only after the one before it was read', async () => {
  let asked = 0
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (;;) {
      asked++
      yield await Promise.resolve(new Uint8Array(1000))
    }
  }
  const clock = createManualClock()
  const upstream = answer(pieces())
  const reader = bodyStream(upstream, { clock, idleMs: 1000, onCut: () => false }).getReader()
  for (let taken = 0; taken < 10; taken++) {
    await setImmediate()
    expect(asked).toBe(taken)
    await reader.read()
  }
  expect(clock.pending()).toBe(0)
  await reader.cancel()
  expect(upstream.cancelled).toBe(1)
})

test('a reader that takes its time is no silence of the upstream', async () => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(new Uint8Array(1))
    yield new Uint8Array(2)
  }
  const clock = createManualClock()
  const cuts: unknown[] = []
  const reader = bodyStream(answer(pieces()), {
    clock,
    idleMs: 1000,
    onCut: (error) => {
      cuts.push(error)
      return false
    },
  }).getReader()
  await reader.read()
  clock.advance(1_000_000)
  expect((await reader.read()).value).toHaveLength(2)
  expect((await reader.read()).done).toBe(true)
  expect(cuts).toEqual([])
})

test('an upstream that falls silent is given up, and what it says later is not waited for', async () => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield await new Promise<Uint8Array>(() => undefined)
  }
  const clock = createManualClock()
  const cuts: unknown[] = []
  const upstream = answer(pieces())
  const reader = bodyStream(upstream, {
    clock,
    idleMs: 1000,
    onCut: (error) => {
      cuts.push(error)
      return false
    },
  }).getReader()
  const read = reader.read()
  await setImmediate()
  clock.advance(1000)
  await expect(read).rejects.toThrow('closed the connection')
  expect([cuts, upstream.cancelled]).toEqual([[null], 1])
})

test.each(['complete', 'broken', 'cancelled'] as const)(
  'who reads along gets the same pieces, and how it ended (%s)',
  async (how) => {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(new Uint8Array([1]))
      yield new Uint8Array([2])
      if (how !== 'complete') throw new Error('gone')
    }
    const told: (string | number | undefined)[] = []
    const stream = bodyStream(answer(pieces()), {
      clock: createManualClock(),
      idleMs: 1000,
      onCut: () => false,
      hasLeft: () => how === 'cancelled',
      copy: {
        take: (piece) => {
          told.push(piece[0])
          return undefined
        },
        end: (end) => told.push(end),
      },
    })
    await new Response(stream).arrayBuffer().catch(() => undefined)
    expect(told).toEqual([1, 2, how])
  },
)

test('when a reader leaves, the other one is notified once, however slow it is', async () => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (;;) yield await Promise.resolve(new Uint8Array(1))
  }
  const ends: string[] = []
  const clock = createManualClock()
  const reader = bodyStream(answer(pieces()), {
    clock,
    idleMs: 1000,
    onCut: () => false,
    copy: { take: () => new Promise(() => undefined), end: (how) => ends.push(how) },
  }).getReader()
  await reader.read()
  void reader.read()
  await setImmediate()
  // Who reads along is no silence of the upstream.
  clock.advance(5000)
  await reader.cancel()
  expect([ends, clock.pending()]).toEqual([['cancelled'], 0])
})

const half = new Uint8Array(512 * 1024)

/** Whether a promise is settled by now. */
async function isSettled(promise: Promise<unknown> | undefined): Promise<boolean> {
  let settled = false
  void promise?.then(() => {
    settled = true
  })
  await setImmediate()
  return settled
}

describe('a copy of a body', () => {
  test('is read as it was taken, to its end', async () => {
    const { copy, pieces, ended, isCut } = createBodyCopy()
    const read: number[] = []
    const reading = (async () => {
      for await (const piece of pieces) read.push(piece.length)
    })()
    void copy.take(new Uint8Array(1))
    await setImmediate()
    void copy.take(new Uint8Array(2))
    void copy.take(new Uint8Array(3))
    copy.end('complete')
    await reading
    expect([read, await ended, isCut()]).toEqual([[1, 2, 3], 'complete', false])
  })

  test('holds a mebibyte at most, and has more wait until it was read', async () => {
    const { copy, pieces } = createBodyCopy()
    expect(copy.take(half)).toBeUndefined()
    const room = copy.take(half)
    expect(await isSettled(room)).toBe(false)
    await pieces[Symbol.asyncIterator]().next()
    expect(await isSettled(room)).toBe(true)
  })

  test('lets go of everything once nobody reads it', async () => {
    const { copy, pieces } = createBodyCopy()
    void copy.take(half)
    const room = copy.take(half)
    for await (const _piece of pieces) break
    expect(await isSettled(room)).toBe(true)
    for (let n = 0; n < 100; n += 1) expect(copy.take(half)).toBeUndefined()
  })

  test('knows that it was cut off, also when what waits is read later', async () => {
    const { copy, pieces, ended, isCut } = createBodyCopy()
    void copy.take(half)
    copy.end('cancelled')
    const read: number[] = []
    for await (const piece of pieces) read.push(piece.length)
    expect([read, await ended, isCut()]).toEqual([[half.length], 'cancelled', true])
  })
})

test('a reader that leaves while the last piece is zipped leaves a whole copy', async () => {
  const told: string[] = []
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(new Uint8Array(1))
    told.push('all')
  }
  const { copy, ended } = createBodyCopy()
  const ends: string[] = []
  void ended.then((end) => ends.push(end))
  const options = { clock: createManualClock(), idleMs: 1000, onCut: () => false }
  const reader = bodyStream(answer(pieces()), { ...options, gzip: true, copy }).getReader()
  await reader.read()
  void reader.read()
  while (told.length === 0) await Promise.resolve()
  for (let turn = 0; turn < 3; turn++) await Promise.resolve()
  await reader.cancel()
  await expect.poll(() => ends).toEqual(['complete'])
})
