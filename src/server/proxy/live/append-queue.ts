import { type Clock, wait } from '../../../protocol/clock.ts'
import { createWaiters } from './waiters.ts'
import type { Entry, Lease, LiveLog } from '../../live-log/live-log.ts'

/** What is on its way into the live log. */
export interface AppendQueue {
  /** Takes an entry; it is appended with what comes in the same turn. */
  readonly add: (entry: Entry) => void
  readonly size: () => number
  /** The oldest build that is not known to be appended. */
  readonly firstBuild: () => BuildEntry | undefined
  /** Appends at once, unless something is being appended. */
  readonly flush: () => void
  /** Resolves when not too much is on its way, or the lease was lost. */
  readonly room: () => Promise<void>
  /** Aborts when nothing can be appended any more: the lease was lost, or the queue ended. */
  readonly over: AbortSignal
  /** Takes nothing more; gives what was not appended, as far as that is known. */
  readonly end: () => readonly Entry[]
}

type BuildEntry = Entry & { kind: 'build' }

export interface AppendQueueOptions {
  readonly log: Pick<LiveLog, 'append' | 'state'>
  readonly lease: Lease
  readonly clock: Clock
}

/**
 * Appends in order, a batch at a time: at once while nothing is on its way, and what comes meanwhile
 * together, until the lease is lost.
 */
export function createAppendQueue({ log, lease, clock }: AppendQueueOptions): AppendQueue {
  // A log of this process takes no time, so nothing is gained by waiting.
  const apartMs = log.state().kind === 'memory' ? 0 : batchesApartMs
  const ended = new AbortController()
  const over = AbortSignal.any([lease.lost, ended.signal])
  let waiting: Entry[] = []
  let working = false
  let batchAt = -Infinity
  const room = createWaiters()

  const appended = (batch: readonly Entry[]): void => {
    waiting = waiting.slice(batch.length)
    if (waiting.length < mostWaiting) room.wake()
  }
  const work = async (): Promise<void> => {
    working = true
    while (waiting.length > 0 && !over.aborted) {
      const restMs = batchAt + apartMs - clock.now()
      if (restMs > 0 && waiting.length < mostAtOnce) await wait(clock, restMs, over)
      if (isAborted(over)) break
      const batch = waiting.slice(0, mostAtOnce)
      batchAt = clock.now()
      try {
        await log.append(batch, lease)
        appended(batch)
      } catch {
        ended.abort()
      }
    }
    working = false
  }
  const flush = (): void => {
    if (!working) void work()
  }

  return {
    add: (entry) => {
      if (over.aborted) return
      if (waiting.length === 0) queueMicrotask(flush)
      waiting.push(entry)
    },
    over,
    size: () => waiting.length,
    firstBuild: () => waiting.find((entry): entry is BuildEntry => entry.kind === 'build'),
    flush,
    room: async () => {
      while (waiting.length >= mostWaiting && !over.aborted) await room.wait(over)
    },
    end: () => {
      ended.abort()
      return waiting
    },
  }
}

/** Asked anew after each wait: a signal changes behind the compiler's back. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted
}

/** More often, a database would work more than readers gain. */
const batchesApartMs = 20
/** So many entries go in one batch: some 300 kB. */
const mostAtOnce = 1000
/** With so many waiting, the upstream is not read on. */
const mostWaiting = 2000
