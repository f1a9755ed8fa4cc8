/** What was executed: a task of Gradle, a goal of Maven, or one run of a test case. */
export type ExecutionKind = 'task' | 'goal' | 'test'

/** One thing that a build did. Times are epoch ms by the clock of the machine that built. */
export interface Execution {
  /** The 64-bit id of the events, as text: as numbers, different tasks become the same. */
  readonly id: string
  readonly kind: ExecutionKind
  /**
   * Where it is found: `:app:test`, with the path of an included build before it; for a goal its
   * project, name and execution; for a test its class and name.
   */
  readonly path: string
  readonly className: string | null
  /** The path of the task that a test belongs to. */
  readonly parent: string | null
  readonly startedAt: number
  /** Null while it is unfinished, and where its start is unknown. */
  readonly durationMs: number | null
  readonly outcome: ExecutionOutcome
  readonly rawOutcome: string | null
  readonly cache: CacheUse
  /** How long it took where its outputs were made, if they were not made here; ms. */
  readonly originMs: number | null
  /** The exception that it ended with, to look up among the failures. */
  readonly failureId: string | null
  /** Which of the workers at work at the same time it is drawn on, from 0. */
  readonly lane: number
}

/** How an execution ended: `unfinished` has no finish event (yet), `other` is another word, in `rawOutcome`. */
export const executionOutcomes = [
  'failed',
  'succeeded',
  'from-cache',
  'up-to-date',
  'no-source',
  'skipped',
  'unfinished',
  'other',
] as const
export type ExecutionOutcome = (typeof executionOutcomes)[number]

/** Reads a tool's own word for an outcome, in any case and with any of `_`, `-` and blanks. */
export function readOutcome(raw: string): ExecutionOutcome {
  return words.get(raw.toLowerCase().replace(/[-\s]/g, '_')) ?? 'other'
}

/** The words of TaskFinished and MvnGoalExecutionFinished, and those of the build data API. */
const words: ReadonlyMap<string, ExecutionOutcome> = new Map(
  Object.entries<ExecutionOutcome>({
    success: 'succeeded',
    succeeded: 'succeeded',
    executed: 'succeeded',
    failed: 'failed',
    failure: 'failed',
    from_cache: 'from-cache',
    avoided_from_local_cache: 'from-cache',
    avoided_from_remote_cache: 'from-cache',
    up_to_date: 'up-to-date',
    avoided_up_to_date: 'up-to-date',
    no_source: 'no-source',
    skipped: 'skipped',
    skip: 'skipped',
  }),
)

/** Where a build cache is: on the machine that built, or shared by many; null where unknown. */
export type CachePlace = 'local' | 'remote' | null

/**
 * What an execution had of the build cache and of what was there from before.
 * - `loaded`: its outputs came out of a cache
 * - `stored`: it ran, and its outputs went into a cache
 * - `up-to-date`: its outputs were still there
 * - `not-needed`: nothing was to be done (no sources, or skipped)
 * - `missed`: it ran though its outputs may be cached
 * - `not-cacheable`: its outputs may not be cached; `reason` in the tool's words
 * - `unknown`: the events do not say
 */
export type CacheUse =
  | { readonly kind: 'loaded'; readonly from: CachePlace }
  | { readonly kind: 'stored'; readonly to: 'local' | 'remote' }
  | { readonly kind: 'up-to-date' | 'not-needed' | 'missed' | 'unknown' }
  | {
      readonly kind: 'not-cacheable'
      readonly category: string | null
      readonly reason: string | null
    }

/** What is known of an execution's caching: from its finish, and from events of the cache itself. */
export interface CacheFacts {
  readonly outcome: ExecutionOutcome
  /** Null where it is unknown. */
  readonly cacheable: boolean | null
  readonly category: string | null
  readonly reason: string | null
  /** The places that outputs were loaded from or stored to, as far as the cache's events say. */
  readonly loadedFrom?: CachePlace
  readonly storedTo?: CachePlace
}

/** How an execution used the cache. Few values are distinct, so that many can share them. */
export function cacheUse(facts: CacheFacts): CacheUse {
  const { outcome, cacheable, category, reason, loadedFrom = null, storedTo = null } = facts
  switch (outcome) {
    case 'from-cache':
      return { kind: 'loaded', from: loadedFrom }
    case 'up-to-date':
      return { kind: 'up-to-date' }
    case 'no-source':
    case 'skipped':
      return { kind: 'not-needed' }
    case 'unfinished':
    case 'other':
      return { kind: 'unknown' }
    case 'succeeded':
    case 'failed':
      if (storedTo !== null) return { kind: 'stored', to: storedTo }
      if (cacheable === true) return { kind: 'missed' }
      return category === null && reason === null && cacheable === null
        ? { kind: 'unknown' }
        : { kind: 'not-cacheable', category, reason }
  }
}
