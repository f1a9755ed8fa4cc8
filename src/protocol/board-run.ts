import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'
import { EvaluationSummary, RunReasons } from './evaluation.ts'
import { ProblemDetail } from './problem.ts'

/** Where many policy scans of many packages are asked for in one go, through one connection. */
export const boardRunPath = '/upstream/board'

export const mostBoardCells = 10_000

const place = z.int().check(z.nonnegative())

const AskedPackage = z.object({
  address: z.object({
    type: z.string().check(z.minLength(1)),
    namespace: z.optional(z.string()),
    name: z.string().check(z.minLength(1)),
    version: z.string().check(z.minLength(1)),
  }),
  sha256: z.string(),
  repositoryUrl: z.string(),
})

/** What is asked for: cells by their places in the lists, in the order in which they are wanted. */
export const BoardRunRequest = z.object({
  packages: z.array(AskedPackage),
  scans: z.array(z.string().check(z.minLength(1))),
  cells: z.array(z.tuple([place, place])).check(z.minLength(1), z.maxLength(mostBoardCells)),
  /** The most that this run may have in flight; the proxy has fewer while the service is busy. */
  mostInFlight: z.int().check(z.minimum(1), z.maximum(64)),
  /**
   * For a run that goes on after its reader had left: how long ago it began, ms. An evaluation that
   * was begun since then is waited for, or taken, instead of asked for once more. Null for a new run,
   * which takes over only what another run of the same user begins after it.
   */
  begunMsAgo: z.nullable(z.int().check(z.nonnegative())),
})
export type BoardRunRequest = z.infer<typeof BoardRunRequest>

/** What one evaluation comes to on a board. */
const RunOutcome = z.extend(
  z.pick(EvaluationSummary, {
    verdict: true,
    counts: true,
    results: true,
    unreadable: true,
  }),
  {
    failing: RunReasons.shape.failing,
    /** Absent where an older release recorded it. */
    notApplicable: z.optional(RunReasons.shape.notApplicable),
    dates: RunReasons.shape.dates,
    satisfied: RunReasons.shape.satisfied,
    required: RunReasons.shape.required,
    /** Where it was found in the history and isn't complete: it found an unsatisfied policy before. */
    ended: z.optional(EvaluationSummary.shape.ended),
    /** Who requested it; an older server says so of what it found in the history. */
    by: z.optional(z.string()),
    /** The id of its record; null where none was made. */
    evaluation: z.nullable(z.string()),
  },
)

/** What evaluations come to on a board: enough for a cell, and for what to do about it. */
export const BoardOutcome = z.extend(RunOutcome, {
  /**
   * Of one that isn't complete, those before it down to the last complete one, the newest first, and when they
   * ended: one of them counts where all that this one found is waived (`countedRun` in policy/waived-verdict.ts).
   */
  before: z.optional(z.array(z.object({ at: EpochMs, outcome: RunOutcome }))),
})
export type BoardOutcome = z.infer<typeof BoardOutcome>

const cell = place
const BoardFault = z.object({ cell, problem: ProblemDetail })

/** A line of the answer (NDJSON); `cell` is a place in `cells` of the request. */
export const BoardRunLine = z.discriminatedUnion('is', [
  z.object({ is: z.literal('asking'), cell }),
  /** The answer has begun. */
  z.object({ is: z.literal('reading'), cell }),
  /** Asked again after `forMs`, as the service was busy or its answer broke off. */
  z.object({ is: z.literal('waiting'), cell, forMs: z.number(), reason: z.string() }),
  z.object({ is: z.literal('done'), cell, outcome: BoardOutcome }),
  /** There is no answer, and asking again would not bring one by itself. */
  z.extend(BoardFault, { is: z.literal('refused') }),
  /** The answer broke off each time. */
  z.extend(BoardFault, { is: z.literal('broken') }),
  /** How many this run may have in flight from now on. */
  z.object({ is: z.literal('pace'), allowed: place }),
  /** Nothing happened for a while, and the connection stands. */
  z.object({ is: z.literal('alive') }),
  /** Every cell was told of; an answer that ends without it was cut. */
  z.object({ is: z.literal('over') }),
])
export type BoardRunLine = z.infer<typeof BoardRunLine>
