import { tooManyRequests } from './governor-problem.ts'

/** A bounded number of requests at a time. */
export interface RequestPool {
  /**
   * Takes a place; the returned function gives it back, once. Throws a ProblemError (429) where none
   * is free: callers wait and come back, as spec/1 "Limits" has it.
   */
  readonly take: () => () => void
}

/** A pool of `size` places without a queue. */
export function createRequestPool(size: number): RequestPool {
  let taken = 0
  return {
    take: () => {
      if (taken >= size) throw tooManyRequests()
      taken += 1
      let given = false
      return () => {
        if (!given) taken -= 1
        given = true
      }
    },
  }
}
