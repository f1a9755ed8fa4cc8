import { type Clock, wait } from '../../protocol/clock.ts'
import type { GivenEntries } from './given-entries.ts'
import {
  type Entry,
  type Lease,
  LeaseLost,
  leaseMs,
  type LogEngine,
  pageSize,
  type Position,
  type Taken,
} from './live-log.ts'

export interface EngineLeasesOptions {
  readonly engine: LogEngine
  readonly clock: Clock
  readonly random: () => number
  readonly given: GivenEntries
  /** Resolves when the reader has the entry at a position, or a signal aborts. */
  readonly untilGiven: (head: Position, signals: readonly AbortSignal[]) => Promise<void>
  /** Told how it went to take or renew a lease or to append: what is wrong, or nothing. */
  readonly onOutcome: (error?: unknown) => void
  /** Told that a lease is free, so that nobody has to wait until it runs out. */
  readonly onReleased: (name: string) => void
}

/** The leases that this process holds or waits for. */
export interface EngineLeases {
  readonly append: (entries: readonly Entry[], lease: Lease) => Promise<void>
  readonly lease: (name: string, signal: AbortSignal) => Promise<Lease | undefined>
  /** Whoever waits for the lease of this name tries at once. */
  readonly tryNow: (name: string) => void
  /** Releases everything; what waits ends. */
  readonly close: () => Promise<void>
}

/** A lease that is ours, until `end` is aborted. */
interface Held {
  readonly name: string
  readonly term: string
  readonly end: AbortController
  readonly queue: Queued[]
  batches: number
  isPumping: boolean
  trimIn: number
}

interface Queued {
  readonly entry: Entry
  /** With the last entry of what was appended together. */
  readonly done: (() => void) | undefined
}

/** Makes leases and fenced appends of what an engine can do. */
export function createEngineLeases(options: EngineLeasesOptions): EngineLeases {
  const { engine, clock, random, given } = options
  const held = new Map<Lease, Held>()
  const holding = new Set<Held>()
  const waiting = new Map<string, Set<() => void>>()
  const closing = new AbortController()

  /** The answer, or undefined after `ms`: the server may be stopped, and this process not know. */
  const within = async <T>(ms: number, ask: () => Promise<T>): Promise<T | undefined> => {
    const late = new AbortController()
    try {
      return await Promise.race([ask(), wait(clock, ms, late.signal).then(() => undefined)])
    } finally {
      late.abort()
    }
  }

  const tryToTake = async (name: string, term: string): Promise<Taken | number> => {
    try {
      const taken = await engine.take(name, term)
      options.onOutcome()
      return taken
    } catch (error) {
      options.onOutcome(error)
      return retryMs
    }
  }

  /** Tries to take a lease, and where somebody has it, sleeps until it may be free. */
  const takeOrRest = async (
    name: string,
    term: string,
    signal: AbortSignal,
  ): Promise<Taken | undefined> => {
    const woken = new AbortController()
    const wake = (): void => {
      woken.abort()
    }
    const sleepers = waiting.get(name) ?? new Set()
    waiting.set(name, sleepers.add(wake))
    signal.addEventListener('abort', wake)
    const taken = await tryToTake(name, term)
    if (typeof taken === 'number') {
      // Those that wait for the same lease don't all try in the same instant.
      await wait(clock, taken + 20 * random(), woken.signal)
    }
    signal.removeEventListener('abort', wake)
    sleepers.delete(wake)
    return typeof taken === 'number' ? undefined : taken
  }

  const keep = async (lease: Held): Promise<void> => {
    for (;;) {
      await wait(clock, heartbeatMs, lease.end.signal)
      if (lease.end.signal.aborted) return
      if (!(await isRenewed(lease))) lease.end.abort()
      else if (lease.batches > 0 && --lease.trimIn <= 0) {
        lease.trimIn = beatsPerTrim
        // What wasn't trimmed now is trimmed the next time.
        void engine.trim().catch(() => undefined)
      }
    }
  }

  /**
   * Asks until the lease has run out for certain. A process that was paused asks once more, whatever
   * its clock says: if nobody else took the lease it goes on.
   */
  const isRenewed = async ({ name, term, end }: Held): Promise<boolean> => {
    let isOver = false
    const ask = async (): Promise<boolean> => {
      while (!isOver && !end.signal.aborted) {
        try {
          const isOurs = await engine.renew(name, term)
          options.onOutcome()
          return isOurs
        } catch (error) {
          options.onOutcome(error)
          await wait(clock, retryMs, end.signal)
        }
      }
      return false
    }
    const isOurs = await within(leaseMs - heartbeatMs, ask)
    isOver = true
    return isOurs === true
  }

  const pump = async (lease: Held): Promise<void> => {
    const { queue, end } = lease
    if (lease.isPumping) return
    lease.isPumping = true
    while (queue.length > 0 && !end.signal.aborted) {
      const batch = queue.splice(0, pageSize)
      lease.batches++
      const stands = await appendBatch(
        lease,
        batch.map(({ entry }) => entry),
      )
      if (!stands) break
      for (const { done } of batch) done?.()
    }
    lease.isPumping = false
  }

  const appendBatch = async (
    { name, term, batches: batch, end }: Held,
    entries: readonly Entry[],
  ): Promise<boolean> => {
    while (!end.signal.aborted) {
      try {
        const stands = await engine.append({ name, term, batch }, entries)
        options.onOutcome()
        if (!stands) end.abort()
        return stands
      } catch (error) {
        // It may stand there all the same: the engine knows batches by their numbers.
        options.onOutcome(error)
        await wait(clock, retryMs, end.signal)
      }
    }
    return false
  }

  const hold = (name: string, term: string): Held => {
    const lease: Held = {
      name,
      term,
      end: new AbortController(),
      queue: [],
      batches: 0,
      isPumping: false,
      trimIn: 1,
    }
    holding.add(lease)
    void keep(lease).finally(() => holding.delete(lease))
    return lease
  }

  const release = async ({ name, term, end }: Held): Promise<void> => {
    if (end.signal.aborted) return
    end.abort()
    // Unreleased it runs out by itself.
    await within(leaseMs, async () => {
      try {
        await engine.release(name, term)
        options.onReleased(name)
      } catch {
        // Said by what asks next.
      }
    })
  }

  return {
    append: (entries, lease) => {
      const mine = held.get(lease)
      if (mine === undefined || mine.end.signal.aborted) return Promise.reject(new LeaseLost())
      if (entries.length === 0) return Promise.resolve()
      return new Promise((resolve, reject) => {
        const onLost = (): void => {
          reject(new LeaseLost())
        }
        mine.end.signal.addEventListener('abort', onLost, { once: true })
        const done = (): void => {
          mine.end.signal.removeEventListener('abort', onLost)
          resolve()
        }
        const last = entries.length - 1
        for (const [at, entry] of entries.entries()) {
          mine.queue.push({ entry, done: at === last ? done : undefined })
        }
        void pump(mine)
      })
    },
    lease: async (name, asked) => {
      const signal = AbortSignal.any([asked, closing.signal])
      for (;;) {
        if (signal.aborted) return undefined
        const term = newTerm(random)
        const taken = await takeOrRest(name, term, signal)
        if (taken === undefined) continue
        const mine = hold(name, term)
        await options.untilGiven(taken.head, [mine.end.signal, signal])
        if (isAborted(signal)) {
          await release(mine)
          return undefined
        }
        if (isAborted(mine.end.signal)) continue
        const lease: Lease = {
          resumeAfter: taken.newestBuild ?? given.buildGivenEverywhere(),
          lost: mine.end.signal,
          release: () => release(mine),
        }
        held.set(lease, mine)
        mine.end.signal.addEventListener('abort', () => held.delete(lease), { once: true })
        return lease
      }
    },
    tryNow: (name) => {
      for (const wake of waiting.get(name) ?? []) wake()
    },
    close: async () => {
      closing.abort()
      await Promise.all([...holding].map(release))
    },
  }
}

/** Asked anew after a wait, which a compiler does not see. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted
}

/** Unguessable, so that a term never comes twice, whatever an engine forgot. */
function newTerm(random: () => number): string {
  return Math.floor(random() * Number.MAX_SAFE_INTEGER).toString(36)
}

const heartbeatMs = leaseMs / 3
const retryMs = 100
/** About every five seconds. */
const beatsPerTrim = 12
