import * as z from 'zod/mini'
import { BuildSummary } from './build-data.ts'
import { BuildId, EpochMs } from './build-message.ts'
import { BuildFailure, Facts } from './facts.ts'

export const BuildsRequest = z.looseObject({
  /** At most 1,000. */
  buildIds: z.array(BuildId).check(z.maxLength(1_000)),
})
export type BuildsRequest = z.infer<typeof BuildsRequest>

/**
 * Where the failures of builds are read from their events: `POST` with `BuildsRequest`, answered by
 * NDJSON, a `FailuresLine` per build in whatever order they become known. What was read once is kept.
 */
export const failuresPath = '/insight/failures'

export const FailuresLine = z.looseObject({
  buildId: BuildId,
  /** Those that the build failed of, at most 10, each test on its own; none where its events name none. */
  failures: z.optional(z.array(BuildFailure)),
  /** A sentence, where they could not be read: the server has no events of it, or is away. */
  problem: z.optional(z.string()),
})
export type FailuresLine = z.infer<typeof FailuresLine>

/**
 * Where the facts of builds are read from their events, for servers whose list has no attributes:
 * `POST` with `BuildsRequest`, answered by NDJSON, a `FactsLine` per build in whatever order they become
 * known. What was read once is kept.
 */
export const factsPath = '/insight/facts'

export const FactsLine = z.looseObject({
  buildId: BuildId,
  facts: z.optional(Facts),
  /** A sentence, where they could not be read. */
  problem: z.optional(z.string()),
})
export type FactsLine = z.infer<typeof FactsLine>

/**
 * Where builds are listed newest first, also those of a server that can't (docs/services.md#build-list):
 * `GET` with `before`, epoch ms, and `most`, 1 to 1,000; undefined `before` is now.
 */
export const earlierBuildsPath = '/insight/earlier-builds'

/** The address of a page of them. */
export function earlierBuildsAt(before: number | undefined, most: number): string {
  const from = before === undefined ? '' : `&before=${before}`
  return `${earlierBuildsPath}?most=${most}${from}`
}

export const EarlierBuildsQuery = z.object({
  before: z.optional(z.pipe(z.coerce.number(), EpochMs)),
  most: z.pipe(z.coerce.number(), z.int().check(z.minimum(1), z.maximum(1_000))),
})
export type EarlierBuildsQuery = z.infer<typeof EarlierBuildsQuery>

export const EarlierBuilds = z.looseObject({
  /** The newest first: `most`, and those that share the time of the last. None where there are none before. */
  builds: z.array(BuildSummary),
  /** Elements among them that were no builds. */
  malformed: z.int(),
  /** Whether the server has a build list that may be read; else they are from its export stream. */
  source: z.enum(['list', 'export']),
})
export type EarlierBuilds = z.infer<typeof EarlierBuilds>

/**
 * Where it is read how much of builds' work came from the build cache, from the models of the build data
 * API (docs/services.md#build-cache-performance): `POST` with `BuildsRequest`, answered by NDJSON, a
 * `CachesLine` per build in whatever order they become known. What was read once is kept.
 */
export const cachesPath = '/insight/caches'

/** Of the tasks or goals of a build that could come from the build cache, how many did. */
export const CacheCounts = z.object({ hits: z.int(), cacheable: z.int() })
export type CacheCounts = z.infer<typeof CacheCounts>

export const CachesLine = z.looseObject({
  buildId: BuildId,
  cache: z.optional(CacheCounts),
  /** A sentence, where it isn't known. */
  problem: z.optional(z.string()),
})
export type CachesLine = z.infer<typeof CachesLine>

/** By what builds can be grouped; of `failure` it is the normalized one, and a build may have several. */
export const buildGroupings = [
  'failure',
  'project',
  'branch',
  'user',
  'tool',
  'outcome',
  'requested',
] as const
export type BuildGrouping = (typeof buildGroupings)[number]

/** Counts of builds that started in a stretch of time. Times are epoch ms, the end is exclusive. */
const GroupBar = z.looseObject({
  from: EpochMs,
  builds: z.int(),
  failed: z.int(),
  /** Of how many it isn't known how they ended; none where it isn't said. */
  unknown: z.optional(z.int()),
})

export const BuildGroup = z.looseObject({
  /** What they have in common: a project's name, or the normalized failure; null where it isn't known. */
  key: z.nullable(z.string()),
  /** Of a grouping by failure: the one of the newest build, as it stands there. */
  failure: z.optional(BuildFailure),
  builds: z.int(),
  failed: z.int(),
  /** Of how many it isn't known how they ended; none where it isn't said. */
  unknown: z.optional(z.int()),
  /** When the first and the last of them started, epoch ms. */
  firstSeen: EpochMs,
  lastSeen: EpochMs,
  newestBuild: BuildId,
  /** At most 30 bars of equal width over the time of all groups. */
  bars: z.array(GroupBar),
})
export type BuildGroup = z.infer<typeof BuildGroup>

/** Groups of a query's builds, from `GET /api/builds/groups` (docs/services.md#build-groups) or the build list. */
export const BuildGroups = z.looseObject({
  builds: z.int(),
  /** How many of them failed: groups by failure come to more where builds are in several. */
  failed: z.optional(z.int()),
  /** Whether these are all that the query finds; not said where nobody knows. */
  isAll: z.optional(z.boolean()),
  /** Largest first, at most 200. */
  groups: z.array(BuildGroup),
  allGroups: z.int(),
})
export type BuildGroups = z.infer<typeof BuildGroups>

/** A stretch of time in a trend. Durations are ms, null where no build of it has one. */
export const TrendPoint = z.looseObject({
  from: EpochMs,
  builds: z.int(),
  succeeded: z.int(),
  failed: z.int(),
  p50: z.nullable(z.number()),
  p95: z.nullable(z.number()),
  /** Of the work units that could come from the build cache, how many did; null where not known. */
  cacheHits: z.nullable(z.number()),
  cacheable: z.nullable(z.number()),
})
export type TrendPoint = z.infer<typeof TrendPoint>

/** A query's builds over time, from `GET /api/builds/trends` (docs/services.md#build-trends) or the build list. */
export const BuildTrends = z.looseObject({
  /** How many builds the trends rest on, and whether these are all that the query finds. */
  builds: z.int(),
  isAll: z.optional(z.boolean()),
  /** Bars of equal width from `from` to `to`, epoch ms. */
  from: EpochMs,
  to: EpochMs,
  series: z.array(
    z.looseObject({
      /** A project or branch; null for all. */
      key: z.nullable(z.string()),
      points: z.array(TrendPoint),
      /** The builds of all points as one. */
      total: z.optional(TrendPoint),
    }),
  ),
})
export type BuildTrends = z.infer<typeof BuildTrends>
