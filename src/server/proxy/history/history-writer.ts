import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'

/** Writes to the history behind people's backs: nobody waits for it, and nobody is stopped by it. */
export interface HistoryWriter {
  /** Takes an entry, or counts it as lost where too much waits already. */
  readonly add: (entry: HistoryEntry) => void
  readonly state: () => WriterState
  /** Resolves once nothing waits, after a few seconds at the latest; whether nothing does. */
  readonly settled: () => Promise<boolean>
  /** Writes what waits, for a few seconds at most; what is left then is lost. */
  readonly close: () => Promise<void>
}

/** Something to be written. Written twice, it stands there once. */
export interface HistoryEntry {
  /** How much memory it takes while it waits, about. */
  readonly bytes: number
  readonly write: () => Promise<void>
}

/** How the writing goes. */
export interface WriterState {
  readonly waiting: number
  readonly written: number
  /** Since the start. */
  readonly lost: number
  /** The last attempt failed, or more waits than is taken. */
  readonly isFailing: boolean
  /** When an attempt last failed, epoch ms; null for never. */
  readonly lastProblemAt: number | null
}

/** As much may wait: a board of 10,000 cells at a quick service, with an evaluation and an action each. */
const mostEntries = 25_000
const mostBytes = 64 * 1024 * 1024
/** A database that takes longer to answer is taken for one that does not, ms. */
const longestWriteMs = 30_000
/** Pauses before an entry is tried again, ms; after the last it is lost, unless the database is away. */
const pausesMs = [1000, 5000]
/** Pause before the next look at a database that is away, ms. */
const awayMs = 10_000
const closingMs = 5000
const settlingMs = 5000

/**
 * One entry is written at a time. While `probe` rejects, the database is away and everything waits;
 * an entry that cannot be written although it is there is lost, so that nothing waits for it for ever.
 * A spell of failures is logged once, and its end.
 */
export function createHistoryWriter({
  clock,
  logger,
  probe,
}: {
  readonly clock: Clock
  readonly logger: Logger
  readonly probe?: () => Promise<void>
}): HistoryWriter {
  const waiting: HistoryEntry[] = []
  const closing = new AbortController()
  let waitingBytes = 0
  let written = 0
  let lost = 0
  let isFailing = false
  let lastProblemAt: number | null = null
  let working: Promise<void> | undefined
  let stopWatch = (): void => undefined

  async function work(): Promise<void> {
    for (let entry = waiting[0]; entry !== undefined; entry = waiting[0]) {
      const isWritten = await attempted(entry)
      // Closed meanwhile, nothing waits any more, and all of it is counted.
      if (waiting[0] !== entry) return
      waiting.shift()
      waitingBytes -= entry.bytes
      if (isWritten) written += 1
      else lost += 1
      // SQLite answers within the turn: after a long spell, others would wait for all that waited.
      await setImmediate()
    }
    // In one turn with the last look at the queue, so that nothing is added in between.
    working = undefined
  }

  /** Whether it was, in the end. */
  async function attempted(entry: HistoryEntry): Promise<boolean> {
    let isThere = false
    for (let attempt = 0; ; attempt += 1) {
      try {
        await inTime(entry.write())
        succeeded()
        return true
      } catch (error) {
        failed(reasonOf(error))
        const pauseMs = pausesMs[attempt] ?? awayMs
        const wasThere = isThere || probe === undefined
        isThere = attempt >= pausesMs.length && !(await isAway())
        if ((isThere && wasThere) || closing.signal.aborted) return false
        // It may be there only since: then it is tried at once.
        if (!isThere) await wait(clock, pauseMs, closing.signal)
      }
    }
  }

  async function isAway(): Promise<boolean> {
    try {
      await (probe && inTime(probe()))
      return false
    } catch {
      return true
    }
  }

  function inTime(writing: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      stopWatch = clock.after(longestWriteMs, () => {
        reject(new Error(`the database didn't respond within ${longestWriteMs / 1000} s`))
      })
      writing.then(resolve, reject).finally(stopWatch)
    })
  }

  function succeeded(): void {
    if (isFailing) logger.info({ lost }, 'writing the history works again')
    isFailing = false
  }

  function failed(reason: string): void {
    if (!isFailing) logger.warn({ reason }, 'writing the history fails')
    isFailing = true
    lastProblemAt = clock.now()
  }

  return {
    add: (entry) => {
      if (
        closing.signal.aborted ||
        waiting.length >= mostEntries ||
        waitingBytes + entry.bytes > mostBytes
      ) {
        lost += 1
        failed('too many entries are waiting to be written')
        return
      }
      waiting.push(entry)
      waitingBytes += entry.bytes
      working ??= work()
    },
    state: () => ({ waiting: waiting.length, written, lost, isFailing, lastProblemAt }),
    settled: async () => {
      const over = new AbortController()
      await Promise.race([working, wait(clock, settlingMs, over.signal)])
      over.abort()
      return waiting.length === 0
    },
    close: async () => {
      closing.abort()
      const closed = new AbortController()
      await Promise.race([working, wait(clock, closingMs, closed.signal)])
      closed.abort()
      stopWatch()
      lost += waiting.length
      if (waiting.length > 0)
        logger.warn({ entries: waiting.length }, 'the history is missing entries')
      waiting.length = 0
    },
  }
}
