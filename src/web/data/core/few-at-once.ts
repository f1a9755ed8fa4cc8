/** Runs jobs, only so many of them at once; the others wait for their turn, first come, first served. */
export type FewAtOnce = <T>(job: () => Promise<T>, signal: AbortSignal) => Promise<T>

/**
 * A line for jobs, `most` at once. A job whose signal aborts before its turn is never begun and
 * rejects with the signal's reason; one that has begun minds the signal by itself.
 */
export function createFewAtOnce(most: number): FewAtOnce {
  const waiting = new Set<() => void>()
  let running = 0

  async function turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (running < most) {
      running += 1
      return
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(begin)
        reject(signal.reason instanceof Error ? signal.reason : new Error('No longer needed.'))
      }
      const begin = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      waiting.add(begin)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  return async (job, signal) => {
    await turn(signal)
    try {
      return await job()
    } finally {
      // The place goes over to whoever has waited longest.
      const [next] = waiting
      if (next === undefined) running -= 1
      else {
        waiting.delete(next)
        next()
      }
    }
  }
}
