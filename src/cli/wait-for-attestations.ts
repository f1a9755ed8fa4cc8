import { groupByPolicy } from '../policy/policy-group.ts'
import { scanVerdict } from '../policy/verdict.ts'
import { backOffMs } from '../protocol/back-off.ts'
import { wait } from '../protocol/clock.ts'
import { durationWords } from './duration.ts'
import { evaluate, type Evaluating, type Evaluation } from './evaluate.ts'
import type { Subject } from './subject.ts'

/**
 * Evaluates a scan, and again with growing pauses while attestations are missing, until `waitMs` are
 * over; the last time right at their end. Never rejects.
 */
export async function evaluateWhenThere(
  subject: Subject,
  evaluating: Evaluating,
  waitMs: number,
): Promise<Evaluation> {
  const { clock, random, say, signal } = evaluating
  const until = clock.now() + waitMs
  for (let failures = 1; ; failures += 1) {
    const evaluation = await evaluate(subject, evaluating)
    const missing = missingOf(evaluation)
    const leftMs = until - clock.now()
    if (missing === undefined || leftMs <= 0 || signal.aborted) return evaluation
    const pauseMs = backOffMs({ failures, retryMs: undefined, retryAfterMs: undefined, random })
    const ms = Math.min(pauseMs, leftMs)
    say(
      `${subject.purl}: ${missing} Asking again in ${durationWords(ms)}, for at most ${durationWords(leftMs)} more.`,
    )
    await wait(clock, ms, signal)
  }
}

/**
 * What is not there yet, as a sentence; undefined where time alone changes nothing. An answer of 404,
 * one in which nothing applied, and one in which nothing failed but the existence of attestations.
 */
function missingOf(evaluation: Evaluation): string | undefined {
  if (evaluation.is === 'refused') {
    const { status, problem } = evaluation.problem
    const isThere = status !== 404 || problem.type.endsWith(':no-governor')
    return isThere ? undefined : 'The policy scan or the package is not known yet.'
  }
  const { results, unreadable, broken } = evaluation
  const groups = groupByPolicy(results)
  const { verdict } = scanVerdict(groups, { unreadable, complete: broken === undefined })
  if (verdict === 'nothing-applied') return 'No policy applies yet.'
  if (verdict !== 'not-releasable' || broken !== undefined) return undefined
  const failing = groups.filter(({ status }) => status === 'unsatisfied')
  return failing.every(({ kind }) => kind === 'AttestationsExist')
    ? 'Attestations are missing still.'
    : undefined
}
