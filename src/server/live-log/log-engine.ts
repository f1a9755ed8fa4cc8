import type { Entry } from './live-log.ts'

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

export interface HeldBatch {
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
