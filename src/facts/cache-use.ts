import type { ExecutionOutcome } from './execution-outcome.ts'

/** Where a build cache is: on the machine that built, or shared by many; null where not told. */
export type CachePlace = 'local' | 'remote' | null

/**
 * What an execution had of the build cache and of what was there from before.
 * - `loaded`: its outputs came out of a cache
 * - `stored`: it ran, and its outputs went into a cache
 * - `up-to-date`: its outputs were still there
 * - `not-needed`: nothing was to be done (no sources, or skipped)
 * - `missed`: it ran though its outputs may be cached
 * - `not-cacheable`: its outputs may not be cached; `reason` in the tool's words
 * - `unknown`: not told
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
  /** Null where it is not told. */
  readonly cacheable: boolean | null
  readonly category: string | null
  readonly reason: string | null
  /** The places that outputs were loaded from or stored to, as far as the cache's events tell. */
  readonly loadedFrom?: CachePlace
  readonly storedTo?: CachePlace
}

/** Tells the use of the cache. Few answers are distinct, so that they can be shared by many. */
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
