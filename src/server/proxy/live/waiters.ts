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

/**
 * Does something with a signal that aborts as soon as one of `sources` does, with its reason, and
 * lets go of them once it is done. Not by `AbortSignal.any`: a signal that lives as long as a session
 * or the process keeps a piece of each that was made from it.
 */
export async function withAnyOf<T>(
  sources: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const any = new AbortController()
  const abort = ({ target }: { readonly target: EventTarget | null }): void => {
    any.abort(target instanceof AbortSignal ? target.reason : undefined)
  }
  for (const source of sources) {
    source.addEventListener('abort', abort)
    if (source.aborted) abort({ target: source })
  }
  try {
    return await work(any.signal)
  } finally {
    for (const source of sources) source.removeEventListener('abort', abort)
  }
}
