import type { Clock } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { LiveFacts } from '../../../protocol/live-feed.ts'
import type { Entry, LiveLog, LogState } from '../../live-log/live-log.ts'
import type { KnownFacts } from './build-facts.ts'
import { type Journal, jsonOf } from './journal.ts'
import { createWaiters } from './waiters.ts'

/** What came out of the live log so far. */
export interface LogIntake {
  /** Whether all that stood in the log when it was reached is in the journal. */
  readonly isCaughtUp: () => boolean
  /** Resolves when it is, or when the signal aborts. */
  readonly untilCaughtUp: (signal: AbortSignal) => Promise<void>
  /** See `LiveUpstream`. */
  readonly newestBuildAt: () => number | null
  readonly deliveriesMs: () => readonly number[]
  readonly counters: () => { readonly builds: number; readonly gaps: number }
  /** Takes nothing more. */
  readonly close: () => void
}

export interface LogIntakeOptions {
  readonly log: Pick<LiveLog, 'read'>
  readonly clock: Pick<Clock, 'now'>
  readonly journal: Journal
  readonly known: KnownFacts
  /** The journal has a new entry. */
  readonly onEntry: () => void
  /** Something was learned of a build after the log was caught up with. */
  readonly onLearned: ((facts: Facts) => void) | undefined
  readonly onState: (state: LogState) => void
}

/** Fills the journal and what is known of builds from the live log, as every process does. */
export function takeFromLog(options: LogIntakeOptions): LogIntake {
  const { clock, journal, known } = options
  const counts = { builds: 0, gaps: 0 }
  const waiters = createWaiters()
  let isCaughtUp = false
  let isClosed = false
  let newestBuildAt: number | null = null
  let deliveriesMs: readonly number[] = []

  const learned = (json: string): void => {
    if (options.onLearned === undefined) return
    const read = LiveFacts.safeParse(jsonOf(json))
    if (read.success) options.onLearned(read.data.facts)
  }
  const take = (entry: Entry): void => {
    if (!journal.append(entry)) return
    options.onEntry()
    switch (entry.kind) {
      case 'build':
        counts.builds++
        newestBuildAt = Math.max(newestBuildAt ?? 0, entry.timestamp)
        if (isCaughtUp) {
          deliveriesMs = [...deliveriesMs.slice(1 - keptDeliveries), clock.now() - entry.timestamp]
        }
        break
      case 'facts':
        known.add(entry.id, entry.json)
        if (isCaughtUp) learned(entry.json)
        break
      case 'gap':
        counts.gaps++
        break
    }
  }
  options.log.read({
    onEntries: (entries) => {
      if (!isClosed) for (const { entry } of entries) take(entry)
    },
    onCaughtUp: () => {
      isCaughtUp = true
      waiters.wake()
    },
    onState: options.onState,
  })

  return {
    isCaughtUp: () => isCaughtUp,
    untilCaughtUp: waiters.wait,
    newestBuildAt: () => newestBuildAt,
    deliveriesMs: () => deliveriesMs,
    counters: () => counts,
    close: () => {
      isClosed = true
    },
  }
}

/** As many builds say how long builds take to come here. */
const keptDeliveries = 100
