import type { Clock } from '../../protocol/clock.ts'
import type { EvaluationSummary } from '../../protocol/evaluation.ts'
import { waivedVerdict } from '../../policy/waived-verdict.ts'
import type { Database } from '../store/database.ts'
import { addEvaluation } from '../store/evaluations.ts'
import { waiversOfScan } from '../store/waivers.ts'
import { type AnswerEnd, type BodyCopy, createBodyCopy, type ReadableCopy } from './body-copy.ts'
import { type AnswerForm, readAnswerParts } from './evaluation-answer.ts'
import type { AskedArtifact } from './evaluation-asked.ts'
import { createKeptAnswer } from './evaluation-kept.ts'
import { createEvaluationTally, type EvaluationTotal } from './evaluation-tally.ts'
import type { HistoryWriter } from './history-writer.ts'

/** An evaluation that begins to be answered. */
export interface BegunEvaluation extends Pick<
  EvaluationSummary,
  'id' | 'startedAt' | 'by' | 'packagePath' | 'scan'
> {
  /** What its body said; never rejects. */
  readonly artifact: Promise<AskedArtifact>
}

/** Records evaluations while their answers are passed on. */
export interface EvaluationRecorder {
  /** Records one: whatever is taken is read, and at the end it is handed to the writer. */
  readonly record: (evaluation: BegunEvaluation, form: AnswerForm) => BodyCopy
  /** Resolves when nothing is being read any more. */
  readonly settled: () => Promise<void>
}

/** As many URIs of failing policies are kept. */
const mostFailing = 50

/** Makes the recorder; its memory is bounded for each evaluation, whatever is answered. */
export function createEvaluationRecorder(options: {
  readonly database: Database
  readonly clock: Clock
  readonly writer: HistoryWriter
}): EvaluationRecorder {
  const { database, clock, writer } = options
  const running = new Set<Promise<void>>()

  async function run(
    evaluation: BegunEvaluation,
    form: AnswerForm,
    answer: ReadableCopy,
  ): Promise<void> {
    const tally = createEvaluationTally()
    const kept = createKeptAnswer()
    let isRead = true
    try {
      for await (const part of readAnswerParts(answer, form)) {
        for (const result of tally.add(part)) kept.add(result)
      }
    } catch {
      isRead = false
    }
    const how = await answer.ended
    const endedAt = clock.now()
    // What is cut off ends in the middle of something; what is whole should not.
    if (!isRead && how === 'complete') tally.addUnreadable()
    const { body, leftOut } = await kept.finish()
    const summary = summarised(evaluation, { endedAt, how, total: tally.total() })
    writer.add({
      bytes: body.length + 4096,
      write: async () => {
        await addEvaluation(database, { summary: await summary(database), leftOut, body })
      },
    })
  }

  return {
    record: (evaluation, form) => {
      const readable = createBodyCopy()
      const work = run(evaluation, form, readable)
      running.add(work)
      void work.finally(() => running.delete(work))
      return readable.copy
    },
    settled: async () => {
      await Promise.all(running)
    },
  }
}

/** What is waived is looked up as late as when it is written, as of the time when it ended. */
function summarised(
  { artifact, ...begun }: BegunEvaluation,
  { endedAt, how, total }: { endedAt: number; how: AnswerEnd; total: EvaluationTotal },
): (database: Database) => Promise<EvaluationSummary> {
  const { results, unreadable, isBroken, groups } = total
  const ended = how === 'complete' && isBroken ? 'broken' : how
  return async (database) => {
    const { sha256, repositoryUrl } = await artifact
    const scan = { packagePath: begun.packagePath, sha256, scan: begun.scan }
    const waivers = await waiversOfScan(database, scan, endedAt)
    const answer = { unreadable, complete: ended === 'complete' }
    const { said, waived } = waivedVerdict(groups, answer, { waivers, scan, now: endedAt })
    const failing = groups.filter(({ status }) => status === 'unsatisfied').slice(0, mostFailing)
    return {
      ...begun,
      endedAt,
      sha256,
      repositoryUrl,
      ended,
      verdict: said.verdict,
      counts: said.counts,
      results,
      unreadable,
      failing: failing.map(({ policyUri }) => policyUri),
      waived: failing.filter(({ key }) => waived.has(key)).map(({ policyUri }) => policyUri),
    }
  }
}
