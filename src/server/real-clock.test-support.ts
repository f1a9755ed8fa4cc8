import type { Clock } from '../protocol/clock.ts'

/** For tests of what waits for the world outside: a socket, a database, another process. */
export const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => {
      clearTimeout(timer)
    }
  },
}
