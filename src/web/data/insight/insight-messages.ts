import type { RowBatch } from '../../../facts/insight/build-rows.ts'
import type { DurationStep } from '../../../facts/insight/duration-step.ts'
import type { FoldedTrends, TimeSpan, TrendRequest } from '../../../facts/insight/trends.ts'
import type { BuildFailure } from '../../../protocol/facts.ts'
import type { BuildGrouping, BuildGroups, CacheCounts } from '../../../protocol/insight.ts'
import type { Answered } from '../core/page-worker.ts'

/** What can be queried of the builds that were handed to the worker so far. */
export type InsightQuery =
  | { readonly kind: 'groups'; readonly by: BuildGrouping }
  | { readonly kind: 'trends'; readonly request: TrendRequest }
  | { readonly kind: 'steps' }
  /** The ids of the builds of a failure's group, the newest first; at most so many. */
  | { readonly kind: 'members'; readonly failure: string | null; readonly most: number }
  /** The newest failed builds whose failure isn't known; at most so many. */
  | { readonly kind: 'without-failure'; readonly most: number }
  /** Builds of which it isn't known what came from the build cache, spread over their time; at most so many. */
  | { readonly kind: 'without-cache'; readonly most: number }
  /** When builds started; null where there is none. */
  | { readonly kind: 'span' }

export interface InsightAnswers {
  readonly groups: BuildGroups
  readonly trends: FoldedTrends
  readonly steps: readonly DurationStep[]
  readonly members: readonly string[]
  readonly 'without-failure': readonly string[]
  readonly 'without-cache': readonly string[]
  readonly span: TimeSpan | null
}

/** Of how many of the builds in the worker something can be looked up, and of how many it was. */
export interface LookupCounts {
  readonly all: number
  readonly known: number
}

/** What a build failed of; nothing where its events name none. */
export interface KnownFailures {
  readonly buildId: string
  readonly failures: readonly BuildFailure[]
}

/** What of a build came from the build cache, null where its server doesn't say. */
export interface KnownCache {
  readonly buildId: string
  readonly cache: CacheCounts | null
}

export type ToInsightWorker =
  | { readonly kind: 'builds'; readonly batch: RowBatch }
  | { readonly kind: 'failures'; readonly failures: readonly KnownFailures[] }
  | { readonly kind: 'caches'; readonly caches: readonly KnownCache[] }
  | { readonly kind: 'query'; readonly id: number; readonly query: InsightQuery }

export type FromInsightWorker =
  /** All that was handed over before is taken in. */
  | {
      readonly kind: 'taken'
      readonly builds: number
      /** Of those that failed. */
      readonly failures: LookupCounts
      /** Of those whose tool has a build cache. */
      readonly caches: LookupCounts
    }
  | Answered<InsightAnswers>
