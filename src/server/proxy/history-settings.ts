/** How long the history is kept, and how long a policy may be waived: from the configuration file. */
export interface HistorySettings {
  /** Evaluations and actions that are older are removed, days. */
  readonly keepDays: number
  /** Of each policy scan of a version of a package, as many of the newest evaluations are kept. */
  readonly keepPerScan: number
  /** As many days ahead a waiver may end at most. */
  readonly longestWaiverDays: number
}

/** A day, ms. */
export const dayMs = 24 * 60 * 60 * 1000
