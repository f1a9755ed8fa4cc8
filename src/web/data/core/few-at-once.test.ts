import { expect, test } from 'vitest'
import { createFewAtOnce } from './few-at-once.ts'

/** Jobs that end when a test says so, by their number. */
function jobs(most: number) {
  const few = createFewAtOnce(most)
  const begun: number[] = []
  const ends = new Map<number, (isGood: boolean) => void>()
  return {
    begun,
    start: (number: number, signal = new AbortController().signal): Promise<number> =>
      few(
        () =>
          new Promise<number>((resolve, reject) => {
            begun.push(number)
            ends.set(number, (isGood) => {
              if (isGood) resolve(number)
              else reject(new Error('bad'))
            })
          }),
        signal,
      ),
    end: (number: number, isGood = true) => ends.get(number)?.(isGood),
  }
}

test('only so many run at once, the others in the order in which they came', async () => {
  const { start, end, begun } = jobs(2)
  const all = [1, 2, 3, 4].map((number) => start(number))
  await Promise.resolve()
  expect(begun).toEqual([1, 2])
  end(2)
  expect(await all[1]).toBe(2)
  await Promise.resolve()
  expect(begun).toEqual([1, 2, 3])
  end(1, false)
  await expect(all[0]).rejects.toThrow('bad')
  await Promise.resolve()
  expect(begun).toEqual([1, 2, 3, 4])
  end(3)
  end(4)
  expect(await Promise.all(all.slice(1))).toEqual([2, 3, 4])
})

test('what is no longer wanted before its turn is never begun, and holds up nobody', async () => {
  const { start, end, begun } = jobs(1)
  const first = start(1)
  const leaving = new AbortController()
  const second = start(2, leaving.signal)
  const third = start(3)
  leaving.abort(new Error('scrolled away'))
  await expect(second).rejects.toThrow('scrolled away')
  await expect(start(4, leaving.signal)).rejects.toThrow('scrolled away')
  end(1)
  await first
  await Promise.resolve()
  expect(begun).toEqual([1, 3])
  end(3)
  await third
})
