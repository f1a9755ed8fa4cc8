import { expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { writeInPieces } from './export-menu.tsx'

/** Writes pieces that take 5 ms each; `goOn` gives the page its turns until `isOver` or it is written. */
function write(count: number, chars = 10) {
  const clock = createManualClock(1000)
  const cancelling = new AbortController()
  const written: number[] = []
  let made = 0
  function* pieces(): Generator<string> {
    for (; made < count; made++) {
      clock.advance(5)
      yield String(made).padStart(chars, 'é')
    }
  }
  const { signal } = cancelling
  let isOver = false
  const file = writeInPieces(pieces(), {
    type: 'text/csv',
    clock,
    signal,
    onProgress: (sum) => written.push(sum),
  }).finally(() => (isOver = true))
  const goOn = async (until: () => boolean = () => false): Promise<void> => {
    while (!isOver && !until()) {
      await Promise.resolve()
      clock.advance(0)
    }
  }
  const cancel = (): void => {
    cancelling.abort()
  }
  return { file, written, goOn, cancel, made: () => made, clock }
}

test('all pieces are in the file, in their order, also when there are more than are held', async () => {
  const { file, goOn } = write(40, 100_000)
  await goOn()
  const text = await (await file)?.text()
  expect(text).toBe(
    Array.from({ length: 40 }, (_, index) => String(index).padStart(100_000, 'é')).join(''),
  )
  expect((await file)?.type).toBe('text/csv')
})

test('the page gets its turn after every 15 ms of work', () => {
  const { made, clock } = write(1000)
  // Nobody has given it a second go.
  expect(made()).toBe(2)
  expect(clock.pending()).toBe(1)
})

test('how far it is is shown of a long text only, and seldom', async () => {
  const short = write(30)
  await short.goOn()
  expect(short.written).toEqual([])
  const long = write(200, 50_000)
  await long.goOn()
  // A million characters are handed over together, most of them é: two bytes each.
  expect(long.written.map((bytes) => Math.round(bytes / 1e6))).toEqual([4, 8, 12, 16])
})

test('cancelled, it ends at once and there is no file', async () => {
  const { file, goOn, cancel, made, clock } = write(1000)
  await goOn(() => made() > 20)
  cancel()
  expect(await file).toBeUndefined()
  expect(made()).toBeLessThan(30)
  expect(clock.pending()).toBe(0)
})
