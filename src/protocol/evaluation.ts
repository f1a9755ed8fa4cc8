import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'

/** Where recorded evaluations are listed; with `/<id>` after it, one of them. */
export const evaluationsPath = '/history/evaluations'

/** The header in which the proxy names the record that an answer of an evaluation will have. */
export const evaluationHeader = 'sightline-evaluation'

/** Policies by how they came out. */
const PolicyCounts = z.looseObject({
  satisfied: z.int().check(z.nonnegative()),
  unsatisfied: z.int().check(z.nonnegative()),
  'not-applicable': z.int().check(z.nonnegative()),
  unknown: z.int().check(z.nonnegative()),
})

/** A policy that fails, or whose status is not known, with why and whose it is; texts are bounded. */
const FailingPolicy = z.object({
  uri: z.string(),
  status: z.enum(['unsatisfied', 'unknown']),
  /** What to do, one plain sentence; may be empty. */
  remedy: z.string(),
  /**
   * What its details name, in words: at most four texts of 200 characters
   * (docs/services.md#result-details). Absent in runs that an older release recorded.
   */
  causes: z.optional(z.array(z.string())),
  /** What its label says of its owner; absent where it has none. */
  owner: z.optional(z.string()),
})

/** A policy that was not applicable: no evidence was there that it is about. */
export const UncheckedPolicy = z.object({
  uri: z.string(),
  /** As its label says it, such as `high`; empty where it has none. */
  severity: z.string(),
})
export type UncheckedPolicy = z.infer<typeof UncheckedPolicy>

/** A time after the run that a result names: from then on the policy may come out differently. */
const NamedDate = z.object({
  uri: z.string(),
  /** What satisfies a policy is valid until then, or a policy that isn't satisfied counts from then on. */
  is: z.enum(['validity-ends', 'takes-effect']),
  /** The field of the details, or the label, that names it. */
  name: z.string(),
  at: EpochMs,
})
export type NamedDate = z.infer<typeof NamedDate>

/** A policy that a board requires by name, and whether a run checked it, all policies that the name fits. */
const RequiredPolicy = z.object({
  /** What is required, as `policyKey` has it: a name, `Kind/Name` or URI. */
  name: z.string(),
  is: z.enum(['checked', 'not-applicable', 'absent']),
})
export type RequiredPolicy = z.infer<typeof RequiredPolicy>

/** Why a run came out as it did, policy by policy; bounded, so that lists of runs may carry it. */
export const RunReasons = z.object({
  /** Policies that are unsatisfied, then those of a status not known here; the first 50. */
  failing: z.array(FailingPolicy),
  /** The first 50, the most severe first. */
  notApplicable: z.array(UncheckedPolicy),
  /** The first 50, the earliest first. Absent in runs that an older release recorded. */
  dates: z.optional(z.array(NamedDate)),
  /**
   * Of the satisfied policies what their URIs have in common in all runs (`policyKey`), the first 200, so that it is
   * known what a response didn't have. Absent in runs that an older release recorded.
   */
  satisfied: z.optional(z.array(z.string())),
  /**
   * How each policy came out that a board required by name when it ran (`RequiredPolicy`), as not all policies of a
   * run are listed above. Absent in runs that an older release recorded.
   */
  required: z.optional(z.array(RequiredPolicy)),
})
export type RunReasons = z.infer<typeof RunReasons>

/** `broken`: the upstream broke off; `cancelled`: the reader left before the end. */
export const evaluationEnds = ['complete', 'broken', 'cancelled'] as const

/** An evaluation that the proxy saw go by; times are epoch ms of the proxy's clock. */
export const EvaluationSummary = z.looseObject({
  id: z.string().check(z.minLength(1)),
  startedAt: EpochMs,
  endedAt: EpochMs,
  /** The user of the session. */
  by: z.string(),
  /** As protocol/package-address.ts writes it. */
  packagePath: z.string(),
  /** Lower-case hex, or as it was asked. */
  sha256: z.string(),
  repositoryUrl: z.string(),
  scan: z.string(),
  ended: z.enum(evaluationEnds),
  /** What the upstream said, whatever is waived (policy/verdict.ts). */
  verdict: z.enum(['releasable', 'not-releasable', 'undecided', 'nothing-applied']),
  /** Policies, not results. */
  counts: PolicyCounts,
  /** How many results the answer held, and parts of it that were none. */
  results: z.int().check(z.nonnegative()),
  unreadable: z.int().check(z.nonnegative()),
  /**
   * URIs of the unsatisfied policies, the first 10,000; where many runs are listed, of each the first
   * 50 at least. `counts` says how many there are.
   */
  failing: z.array(z.string()),
  /** URIs of those of them that were waived at that time. */
  waived: z.array(z.string()),
  /** Absent in runs that an older release recorded. */
  reasons: z.optional(RunReasons),
})
export type EvaluationSummary = z.infer<typeof EvaluationSummary>

/** One recorded evaluation with what the upstream answered, each result as it was written. */
export const EvaluationRecord = z.extend(EvaluationSummary, {
  /**
   * To be read with `readPolicyAnswer`; the first 20,000 results, or the first 16 MB of them. Of the
   * others, what makes a policy worse than it was before, up to 60,000 and 48 MB in all.
   */
  answer: z.array(z.unknown()),
  /** Results left out of `answer` because there were too many. */
  leftOut: z.int().check(z.nonnegative()),
})
export type EvaluationRecord = z.infer<typeof EvaluationRecord>

/** Whether evaluations are being recorded; a database that fails never stops one. */
const Recording = z.looseObject({
  ok: z.boolean(),
  /** How many, actions included, could not be recorded since the proxy started. */
  lost: z.int().check(z.nonnegative()),
  /** A plain sentence where `ok` is false. */
  reason: z.nullish(z.string()),
})

/**
 * The answer of `GET /history/evaluations?path=…&scan=…&sha256=…&repository=…&ended=…&by=…&before=…&limit=…`,
 * all of them optional: the newest first, `limit` of them (100; at most 500). `path` as in
 * protocol/waiver.ts; `before` is the `next` of the page before.
 */
export const EvaluationList = z.looseObject({
  evaluations: z.array(EvaluationSummary),
  /** Null after the last. */
  next: z.nullable(z.string()),
  recording: Recording,
})
export type EvaluationList = z.infer<typeof EvaluationList>

/** Where the last recorded evaluation of each of many places is requested: those of a board at once. */
export const latestEvaluationsPath = `${evaluationsPath}/latest`

/** The most places of one request. */
export const mostLatestPlaces = 1000

export const LatestEvaluationsRequest = z.object({
  places: z
    .array(
      z.pick(EvaluationSummary, {
        packagePath: true,
        sha256: true,
        repositoryUrl: true,
        scan: true,
      }),
    )
    .check(z.maxLength(mostLatestPlaces)),
})

/**
 * The answer: of each place the last complete evaluation, and those that began later and found an
 * unsatisfied policy before they broke off (of those that found the same, the last one); the newest first.
 */
export const LatestEvaluations = z.looseObject({
  evaluations: z.array(EvaluationSummary),
})
