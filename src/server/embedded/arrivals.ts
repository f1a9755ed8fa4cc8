import { type Clock, wait } from '../../protocol/clock.ts'
import { lastPosition } from '../store/build-listing.ts'
import type { Database } from '../store/database.ts'

/**
 * Notifies waiting readers that something in the database has changed. It carries no builds: readers
 * read on from where they are, at their own pace, so that a slow one costs no memory.
 */
export interface Arrivals {
  /** Wakes everybody who waits. */
  readonly notify: () => void
  /** How often `notify` was called: taken before reading, so that no change is slept through. */
  readonly count: () => number
  /** Resolves once `count` is past `seen`, after `ms`, on abort, or when closed; never rejects. */
  readonly wait: (seen: number, ms: number, signal: AbortSignal) => Promise<void>
  /** How many wait: 0 when nothing was left behind. */
  readonly waiting: () => number
  readonly isClosed: () => boolean
  /** Wakes everybody for the last time. */
  readonly close: () => void
}

/** Makes the hub that every open stream and waiting request of one instance shares. */
export function createArrivals(clock: Clock): Arrivals {
  const waiting = new Set<() => void>()
  let count = 0
  let closed = false

  function wakeAll(): void {
    for (const wake of [...waiting]) wake()
  }

  return {
    notify: () => {
      count += 1
      wakeAll()
    },
    count: () => count,
    wait: (seen, ms, signal) =>
      new Promise((resolve) => {
        if (count !== seen || closed || signal.aborted) {
          resolve()
          return
        }
        const wake = (): void => {
          waiting.delete(wake)
          cancel()
          signal.removeEventListener('abort', wake)
          resolve()
        }
        const cancel = clock.after(ms, wake)
        signal.addEventListener('abort', wake)
        waiting.add(wake)
      }),
    waiting: () => waiting.size,
    isClosed: () => closed,
    close: () => {
      closed = true
      wakeAll()
    },
  }
}

/**
 * Looks five times a second, while somebody waits, whether another process of the database has stored
 * builds, and wakes those who wait. The result stops it.
 */
export function watchOtherProcesses(
  database: Database,
  clock: Clock,
  arrivals: Pick<Arrivals, 'notify' | 'waiting'>,
): () => Promise<void> {
  const stopped = new AbortController()
  let newest = 0
  const look = async (): Promise<void> => {
    // While the database is away nothing is stored, and whoever reads says so.
    const found = await lastPosition(database).catch(() => newest)
    if (found !== newest) arrivals.notify()
    newest = found
  }
  const watching = (async () => {
    for (;;) {
      await wait(clock, otherProcessesMs, stopped.signal)
      if (stopped.signal.aborted) return
      if (arrivals.waiting() > 0) await look()
    }
  })()
  return () => {
    stopped.abort()
    return watching
  }
}

const otherProcessesMs = 200

/**
 * Where builds are being stored that are announced but not known yet. Who follows a search goes no
 * further than that, so that such a build is found once it is known.
 */
export interface PendingWrites {
  /** Holds searches back before a position until the function that is answered is called. */
  readonly hold: (position: number) => () => void
  /** The first position that is held back. */
  readonly first: () => number | undefined
}

/** Nothing is underway in the beginning. */
export function createPendingWrites(): PendingWrites {
  const held = new Set<{ readonly position: number }>()
  return {
    hold: (position) => {
      const entry = { position }
      held.add(entry)
      return () => {
        held.delete(entry)
      }
    },
    first: () =>
      held.size === 0 ? undefined : Math.min(...[...held].map(({ position }) => position)),
  }
}
