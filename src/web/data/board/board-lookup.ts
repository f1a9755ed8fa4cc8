import { createBoardTally } from '../../../policy/board-tally.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import type { BoardOutcome } from '../../../protocol/board-run.ts'
import {
  EvaluationList,
  EvaluationRecord,
  evaluationsPath,
  type EvaluationSummary,
} from '../../../protocol/evaluation.ts'
import type { PolicyScanQuestion } from '../scans/policy-scan.ts'
import type { Request } from '../core/request.ts'

/** An evaluation that was recorded; `agoMs` ago by the clock of the proxy. */
export interface FoundEvaluation {
  readonly question: PolicyScanQuestion
  readonly agoMs: number
  readonly outcome: BoardOutcome
}

/** Finds what the proxy has recorded of these questions in the last `sinceMs`. */
export type LookUpEvaluations = (
  questions: readonly PolicyScanQuestion[],
  sinceMs: number,
  signal: AbortSignal,
) => Promise<readonly FoundEvaluation[]>

/** At most so many pages of the history are read; what is beyond is asked again. */
const mostPages = 20

/**
 * Looks through the history of the proxy, the newest first. `proxyNow` is the time by its clock. Where
 * there is no history, or it fails, nothing was found: that costs an evaluation and never an answer.
 */
export function createLookUpEvaluations(
  request: Request,
  proxyNow: () => number,
): LookUpEvaluations {
  async function summaries(since: number, signal: AbortSignal): Promise<EvaluationSummary[]> {
    const found: EvaluationSummary[] = []
    let before: string | null = ''
    for (let page = 0; page < mostPages && before !== null; page++) {
      const query: string = before === '' ? '' : `&before=${encodeURIComponent(before)}`
      const list: EvaluationList = await request(
        `${evaluationsPath}?limit=100${query}`,
        EvaluationList,
        { signal },
      )
      const fresh = list.evaluations.filter(({ startedAt }) => startedAt >= since)
      found.push(...fresh)
      before = fresh.length < list.evaluations.length ? null : list.next
    }
    return found
  }

  async function outcomeOf(summary: EvaluationSummary, signal: AbortSignal): Promise<BoardOutcome> {
    const { id, verdict, counts, results, unreadable } = summary
    const whole = { verdict, counts, results, unreadable, evaluation: id }
    if (summary.failing.length === 0 && counts.unknown === 0) return { ...whole, failing: [] }
    const path = `${evaluationsPath}/${encodeURIComponent(id)}`
    const { answer } = await request(path, EvaluationRecord, { signal })
    const tally = createBoardTally()
    for (const result of answer.flatMap((one) => readPolicyAnswer(one).results)) tally.add(result)
    return { ...whole, failing: tally.outcome(id).failing }
  }

  return async (questions, sinceMs, signal) => {
    const now = proxyNow()
    const wanted = new Map(questions.map((question) => [questionKey(question), question]))
    const found: FoundEvaluation[] = []
    try {
      for (const summary of await summaries(now - sinceMs, signal)) {
        const key = summaryKey(summary)
        const question = wanted.get(key)
        if (question === undefined || summary.ended !== 'complete') continue
        wanted.delete(key)
        const outcome = await outcomeOf(summary, signal)
        found.push({ question, agoMs: Math.max(0, now - summary.endedAt), outcome })
      }
    } catch {
      // What is not found is asked for once more.
    }
    return found
  }
}

function questionKey({ address, scan, sha256, repositoryUrl }: PolicyScanQuestion): string {
  return JSON.stringify([packagePath(address), scan, sha256, repositoryUrl])
}

function summaryKey({ packagePath: path, scan, sha256, repositoryUrl }: EvaluationSummary): string {
  return JSON.stringify([path, scan, sha256, repositoryUrl])
}
