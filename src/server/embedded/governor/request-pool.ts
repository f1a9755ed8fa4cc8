import type { Clock } from '../../../protocol/clock.ts'
import { noFreePlace, tooManyRequests } from './governor-problem.ts'

/** A bounded number of requests at a time. The functions that they are given give a place back, once. */
export interface RequestPool {
  /**
   * Takes a place. Throws a ProblemError (429) where none is free: who evaluates comes back, as
   * docs/services.md#policy-service-limits has it.
   */
  readonly take: () => () => void
  /**
   * Takes a place when it is this one's turn, before any `take`. Rejects with a ProblemError (500)
   * where none becomes free within 30 s, or `signal` aborts before: publishing has no 429
   * (docs/services.md#publish), and is nothing that a client should repeat by itself.
   */
  readonly await: (signal: AbortSignal) => Promise<() => void>
}

const longestWaitMs = 30_000

/** A pool of `size` places. */
export function createRequestPool(size: number, clock: Clock): RequestPool {
  let taken = 0
  const waiting: (() => void)[] = []

  function place(): () => void {
    taken += 1
    let given = false
    return () => {
      if (given) return
      given = true
      taken -= 1
      waiting.shift()?.()
    }
  }

  return {
    take: () => {
      if (taken >= size) throw tooManyRequests()
      return place()
    },
    await: (signal) =>
      new Promise((resolve, reject) => {
        if (taken < size) {
          resolve(place())
          return
        }
        const begin = (): void => {
          stop()
          resolve(place())
        }
        const leave = (): void => {
          stop()
          waiting.splice(waiting.indexOf(begin), 1)
          reject(noFreePlace(longestWaitMs))
        }
        const cancel = clock.after(longestWaitMs, leave)
        const stop = (): void => {
          cancel()
          signal.removeEventListener('abort', leave)
        }
        waiting.push(begin)
        signal.addEventListener('abort', leave)
        if (signal.aborted) leave()
      }),
  }
}
