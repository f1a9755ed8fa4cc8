/** Whoever waits for the next time that something happens. */
export interface Waiters {
  /** Resolves at the next `wake`, or when the signal aborts: whoever waits looks again afterwards. */
  readonly wait: (signal: AbortSignal) => Promise<void>
  readonly wake: () => void
}

/** Makes a place to wait at; who has stopped waiting leaves nothing behind. */
export function createWaiters(): Waiters {
  const waiting = new Set<() => void>()
  return {
    wait: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve()
          return
        }
        const done = (): void => {
          waiting.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        waiting.add(done)
        signal.addEventListener('abort', done)
      }),
    wake: () => {
      for (const done of [...waiting]) done()
    },
  }
}
