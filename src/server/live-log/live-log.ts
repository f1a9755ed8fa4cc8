/** One thing that every reader of the live feed is told, in the order in which it was learned. */
export type Entry =
  | {
      readonly kind: 'build'
      readonly id: string
      readonly timestamp: number
      readonly json: string
    }
  /** What became known of the build `id`: the JSON of a `Facts` message. */
  | { readonly kind: 'facts'; readonly id: string; readonly json: string }
  | { readonly kind: 'gap'; readonly json: string }

/**
 * An entry with its number, the same at every process: from 1 up, and each is one more than the one
 * before. Where the engine lost entries numbers go back, and where a newer version wrote an entry
 * that this one cannot read one is left out: nothing may be looked up by them.
 */
export interface NumberedEntry {
  readonly number: number
  readonly entry: Entry
}

/** The right to append: one process has it at a time (docs/design.md#live-log). */
export interface Lease {
  /**
   * The build after which the log goes on: the newest that stands in it. Where the engine lost all
   * of them, one that every process was surely given; what comes again is left out by the readers.
   */
  readonly resumeAfter: string | undefined
  /** Aborts when it was lost: another process may have it from then on. */
  readonly lost: AbortSignal
  /** Gives it up, so that the next one need not wait until it runs out. Never throws. */
  readonly release: () => Promise<void>
}

/** How the log stands. */
export interface LogState {
  readonly kind: 'memory' | 'postgres' | 'redis'
  readonly isReachable: boolean
  /** Since when it is, or is not, epoch ms. */
  readonly since: number
  /** What is wrong and what is done about it, in a sentence; without any credential. */
  readonly message: string | undefined
}

/** Whoever is told what stands in the log. */
export interface LogReader {
  /** What follows what was given before, in order: no entry twice, none left out. */
  readonly onEntries: (entries: readonly NumberedEntry[]) => void
  /** Everything that stood in the log when it was reached was given. Once. */
  readonly onCaughtUp: () => void
  readonly onState: (state: LogState) => void
}

/**
 * The order in which all processes of an installation learn of builds, and how they notify each
 * other. What was appended stands there for every process; how long depends on the engine, at least
 * ten minutes and 30,000 entries.
 */
export interface LiveLog {
  /**
   * Appends entries in their order, once; a build that the log holds is left out. Tries again while
   * the lease is ours. Resolves when they stand there; rejects with a `LeaseLost`, and nothing else,
   * when the lease was lost before that could be learned: the next `Lease` says where the log goes
   * on. In memory all readers have them on return.
   */
  readonly append: (entries: readonly Entry[], lease: Lease) => Promise<void>
  /**
   * Gives the one reader of this process all that is kept and then what comes, across losses of the
   * connection.
   */
  readonly read: (reader: LogReader) => void
  /**
   * Resolves when the lease of this name is ours and all that was appended before has been given to
   * the readers; undefined once the signal has aborted. Waits while the log is away. Never throws.
   */
  readonly lease: (name: string, signal: AbortSignal) => Promise<Lease | undefined>
  /**
   * Sends a value (as JSON, up to 1 MB) to every process, this one included, once. Nobody who comes
   * later gets it, and it is lost while the log is away: what must not be lost stands in the database
   * and is looked up after `onReturn`. Never throws.
   */
  readonly notify: (topic: string, value: unknown) => void
  /** Hears the values of a topic, as they were sent; decode them. The result stops it. */
  readonly onNotice: (topic: string, listener: (value: unknown) => void) => () => void
  /** Called when notices may have been missed: the log is reachable again. The result stops it. */
  readonly onReturn: (listener: () => void) => () => void
  readonly state: () => LogState
  /** Releases what is held and lets go of the engine; what waits for a lease gets undefined. */
  readonly close: () => Promise<void>
}

/** What parts of the proxies need of the log that only notify each other. */
export type Notices = Pick<LiveLog, 'notify' | 'onNotice' | 'onReturn' | 'state'>

/** Whether notices of other processes come here: else the database says what they did. */
export function hearsOthers(log: Notices): boolean {
  const { kind, isReachable } = log.state()
  return kind !== 'memory' && isReachable
}

/** The lease ran out or was taken over: whoever has it now goes on. */
export class LeaseLost extends Error {
  constructor() {
    super('another process has taken over the live log')
  }
}
