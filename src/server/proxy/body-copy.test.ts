import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createBodyCopy } from './body-copy.ts'

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
