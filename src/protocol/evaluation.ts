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
  /** `broken`: the upstream broke off; `cancelled`: the reader left before the end. */
  ended: z.enum(['complete', 'broken', 'cancelled']),
  /** What the upstream said, whatever is waived (policy/verdict.ts). */
  verdict: z.enum(['releasable', 'not-releasable', 'undecided', 'nothing-applied']),
  /** Policies, not results. */
  counts: PolicyCounts,
  /** How many results the answer held, and parts of it that were none. */
  results: z.int().check(z.nonnegative()),
  unreadable: z.int().check(z.nonnegative()),
  /** URIs of the unsatisfied policies, the first 50. */
  failing: z.array(z.string()),
  /** URIs of those of them that were waived at that time. */
  waived: z.array(z.string()),
})
export type EvaluationSummary = z.infer<typeof EvaluationSummary>

/** One recorded evaluation with what the upstream answered, each result as it was written. */
export const EvaluationRecord = z.extend(EvaluationSummary, {
  /** To be read with `readPolicyAnswer`; the first 20,000 results, or the first 16 MB of them. */
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
 * The answer of `GET /history/evaluations?path=…&scan=…&sha256=…&by=…&before=…&limit=…`, all of
 * them optional: the newest first, `limit` of them (100; at most 500). `path` as in protocol/waiver.ts;
 * `before` is the `next` of the page before.
 */
export const EvaluationList = z.looseObject({
  evaluations: z.array(EvaluationSummary),
  /** Null after the last. */
  next: z.nullable(z.string()),
  recording: Recording,
})
export type EvaluationList = z.infer<typeof EvaluationList>
