import { describe, expect, test } from 'vitest'
import { createLimit } from './limit.ts'

describe('a limit', () => {
  test('lets so many run at once, in the order in which they came', async () => {
    const limit = createLimit(2)
    const { signal } = new AbortController()
    const started: number[] = []
    const ends: (() => void)[] = []
    const tasks = [0, 1, 2, 3].map((number) =>
      limit.run(async () => {
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
    const first = limit.run(() => new Promise((_, reject) => (fail = reject)), signal)
    const second = limit.run(() => Promise.resolve('never'), impatient.signal)
    const third = limit.run(() => Promise.resolve('third'), signal)
    impatient.abort()
    expect(await second).toBeUndefined()
    fail(new Error('broken'))
    await expect(first).rejects.toThrow('broken')
    expect(await third).toBe('third')
    expect(await limit.run(() => Promise.resolve('free'), signal)).toBe('free')
  })
})
