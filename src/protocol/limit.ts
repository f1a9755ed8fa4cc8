/** Lets only so many things happen at once; the others wait in the order in which they came. */
export interface Limit {
  /** Runs `task` when it is its turn; rejects with the reason of `signal` where that aborts before. */
  readonly run: <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T>
  /** The same, but gives undefined where `signal` aborts before. A task that runs minds it by itself. */
  readonly tryRun: <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T | undefined>
}

/** Makes a limit of `most` at once. */
export function createLimit(most: number): Limit {
  let free = most
  const queue = new Set<() => void>()

  const take = (signal: AbortSignal): Promise<boolean> => {
    if (signal.aborted) return Promise.resolve(false)
    if (free > 0) {
      free--
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const settle = (taken: boolean): void => {
        queue.delete(turn)
        signal.removeEventListener('abort', leave)
        resolve(taken)
      }
      const turn = (): void => {
        settle(true)
      }
      const leave = (): void => {
        settle(false)
      }
      queue.add(turn)
      signal.addEventListener('abort', leave)
    })
  }

  const give = (): void => {
    const next = queue.values().next().value
    if (next === undefined) free++
    else next()
  }

  const held = async <T>(task: () => Promise<T>): Promise<T> => {
    try {
      return await task()
    } finally {
      give()
    }
  }

  return {
    run: async (task, signal) => {
      if (!(await take(signal))) signal.throwIfAborted()
      return held(task)
    },
    tryRun: async (task, signal) => ((await take(signal)) ? held(task) : undefined),
  }
}
