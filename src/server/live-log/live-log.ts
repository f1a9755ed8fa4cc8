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

/**
 * A place in the log. One term appends one entry per number and no more once entries were lost, so
 * that number and term together name one entry for ever, whatever an engine forgets.
 */
export interface Position {
  readonly number: number
  readonly term: string
}

/** Before the first entry. */
export const beginning: Position = { number: 0, term: '' }

/** An entry as an engine keeps it; perhaps written by a newer version. */
export interface StoredRow extends Position {
  readonly kind: string
  readonly id: string
  readonly timestamp: number
  readonly json: string
}

/** A notice on its way. */
export interface Notice {
  readonly topic: string
  readonly json: string
}

/** What came since it was last looked. */
export interface News {
  /** What follows the given position; `astray` when the entry there is gone or another one. */
  readonly rows: readonly StoredRow[] | 'astray'
  /** Whether these rows are all that stand there. */
  readonly isAll: boolean
  readonly notices: readonly Notice[]
}

/** What the holder of a lease finds: where the log ends, and the newest build in it. */
export interface Taken {
  readonly head: Position
  readonly newestBuild: string | undefined
}

/**
 * What a server must be able to do so that `createEngineLog` can make a live log of it. Everything
 * rejects when the server can't be asked; nothing is tried again here.
 */
export interface LogEngine {
  readonly kind: 'postgres' | 'redis'
  /** Such as "PostgreSQL at db.example.com:5432"; without any credential. */
  readonly place: string
  /** Connects for reading. Notices count from the first time on. */
  readonly open: () => Promise<void>
  /**
   * What follows a position (undefined: only notices), oldest first. A patient caller waits up to a
   * second for something to come.
   */
  readonly next: (after: Position | undefined, isPatient: boolean) => Promise<News>
  /** Lets go of the connection that reads. */
  readonly drop: () => void
  /**
   * Takes the lease of a name for a new term, for `leaseMs` by the server's own clock; the ms until
   * it runs out where somebody has it.
   */
  readonly take: (name: string, term: string) => Promise<Taken | number>
  /** Whether the lease was still this term's, and lasts `leaseMs` from now. */
  readonly renew: (name: string, term: string) => Promise<boolean>
  readonly release: (name: string, term: string) => Promise<void>
  /**
   * Appends the batch of this number (from 1, by 1) of a term, at once or not at all, and renews its
   * lease; true also when that batch stands there already, false when the lease is another's.
   */
  readonly append: (held: HeldBatch, entries: readonly Entry[]) => Promise<boolean>
  /** Forgets entries that are older than ten minutes and not among the newest 30,000. */
  readonly trim: () => Promise<void>
  readonly notify: (notices: readonly Notice[]) => Promise<void>
  readonly close: () => Promise<void>
}

interface HeldBatch {
  readonly name: string
  readonly term: string
  readonly batch: number
}

/** How long a lease lasts; it is renewed three times as often. */
export const leaseMs = 1200

export const keptEntries = 30_000
export const keptMs = 600_000
/** As long a process may be cut off without missing a notice. */
export const keptNoticesMs = 60_000

/** How many entries are read, or appended, at once. */
export const pageSize = 1000

/** How long a patient reader waits before it looks by itself: a wake-up may have been lost. */
export const pollMs = 1000

/** A server that has not answered for so long is away. */
export const answerMs = 3000
