import { describe, expect, test } from 'vitest'
import { createLimit } from './limit.ts'

describe('a limit', () => {
  test('lets so many run at once, in the order in which they came', async () => {
    const limit = createLimit(2)
    const { signal } = new AbortController()
    const started: number[] = []
    const ends: (() => void)[] = []
    const tasks = [0, 1, 2, 3].map((number) =>
      limit.tryRun(async () => {
        started.push(number)
        await new Promise<void>((resolve) => ends.push(resolve))
        return number
      }, signal),
    )
    await Promise.resolve()
    expect(started).toEqual([0, 1])
    ends[1]?.()
    expect(await tasks[1]).toBe(1)
    await Promise.resolve()
    expect(started).toEqual([0, 1, 2])
    ends[0]?.()
    ends[2]?.()
    await tasks[2]
    await Promise.resolve()
    ends[3]?.()
    expect(await Promise.all(tasks)).toEqual([0, 1, 2, 3])
  })

  test('forgets who gave up waiting, and gives the place of a task that failed to the next', async () => {
    const limit = createLimit(1)
    const { signal } = new AbortController()
    const impatient = new AbortController()
    let fail: (reason: Error) => void = () => undefined
    const first = limit.tryRun(() => new Promise((_, reject) => (fail = reject)), signal)
    const second = limit.tryRun(() => Promise.resolve('never'), impatient.signal)
    const third = limit.tryRun(() => Promise.resolve('third'), signal)
    impatient.abort()
    expect(await second).toBeUndefined()
    fail(new Error('broken'))
    await expect(first).rejects.toThrow('broken')
    expect(await third).toBe('third')
    expect(await limit.tryRun(() => Promise.resolve('free'), signal)).toBe('free')
  })
})

/** Jobs that end when a test says so, by their number. */
function jobs(most: number) {
  const limit = createLimit(most)
  const begun: number[] = []
  const ends = new Map<number, (isGood: boolean) => void>()
  return {
    begun,
    start: (number: number, signal = new AbortController().signal): Promise<number> =>
      limit.run(
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
