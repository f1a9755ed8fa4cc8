import { type BuildRows, createBuildRows, outcomeCodes } from '../../../facts/insight/build-rows.ts'
import { durationSteps } from '../../../facts/insight/duration-step.ts'
import { failureKey } from '../../../facts/insight/failure-key.ts'
import { groupBuilds } from '../../../facts/insight/groups.ts'
import { buildTrends, type TimeSpan, timeSpan } from '../../../facts/insight/trends.ts'
import type { BuildFailure } from '../../../protocol/facts.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import type { AnswerOf } from '../core/page-worker.ts'
import type {
  FromInsightWorker,
  InsightAnswers,
  InsightQuery,
  ToInsightWorker,
} from './insight-messages.ts'

/** What runs in the worker: keeps the builds handed over, answers queries about all, and sends by `post`. */
export function createInsightEngine(
  post: (message: FromInsightWorker) => void,
): (message: ToInsightWorker) => void {
  const rows = createBuildRows()
  const keyOf = rememberedKeys()

  function postTaken(): void {
    post({ kind: 'taken', builds: rows.count(), failures: rows.failures(), caches: rows.caches() })
  }

  return (message) => {
    switch (message.kind) {
      case 'builds':
        rows.append(message.batch)
        postTaken()
        break
      case 'failures':
        for (const { buildId, failures } of message.failures) {
          rows.setFailures(
            buildId,
            failures.map((failure) => ({ failure, key: keyOf(failure) })),
          )
        }
        postTaken()
        break
      case 'caches':
        for (const { buildId, cache } of message.caches) rows.setCache(buildId, cache)
        postTaken()
        break
      case 'query':
        try {
          post({ kind: 'answer', id: message.id, answer: answerTo(message.query, rows) })
        } catch (error) {
          const reason = reasonOf(error)
          post({ kind: 'no-answer', id: message.id, reason })
        }
    }
  }
}

function answerTo(query: InsightQuery, rows: BuildRows): AnswerOf<InsightAnswers> {
  switch (query.kind) {
    case 'groups':
      return { kind: 'groups', answer: groupBuilds(rows, query.by) }
    case 'trends':
      return { kind: 'trends', answer: buildTrends(rows, query.request) }
    case 'steps':
      return { kind: 'steps', answer: durationSteps(rows) }
    case 'members':
      return { kind: 'members', answer: membersOf(rows, query.failure).slice(0, query.most) }
    case 'without-failure':
      return { kind: 'without-failure', answer: rows.withoutFailure(query.most) }
    case 'without-cache':
      return { kind: 'without-cache', answer: rows.withoutCache(query.most) }
    case 'span':
      return { kind: 'span', answer: spanOf(rows) }
  }
}

/** Builds fail of the same over and over: each failure is normalized once. */
function rememberedKeys(): (failure: BuildFailure) => string {
  const known = new Map<string, string>()
  return (failure) => {
    const { message, exception = '', task = '', test } = failure
    const text = JSON.stringify([exception, task, message, test?.className, test?.name])
    const before = known.get(text)
    if (before !== undefined) return before
    const key = failureKey(failure)
    known.set(text, key)
    return key
  }
}

function membersOf(rows: BuildRows, wanted: string | null): readonly string[] {
  const found: number[] = []
  for (let row = 0; row < rows.count(); row++) {
    if (rows.outcome.at(row) !== outcomeCodes.failed) continue
    const failures = rows.failuresAt(row) ?? []
    const isWanted =
      wanted === null ? failures.length === 0 : failures.some(({ key }) => key === wanted)
    if (isWanted) found.push(row)
  }
  return found.sort((a, b) => rows.start.at(b) - rows.start.at(a)).map(rows.idAt)
}

function spanOf(rows: BuildRows): TimeSpan | null {
  const starts = Float64Array.from({ length: rows.count() }, (_, row) => rows.start.at(row))
  return timeSpan(starts.sort()) ?? null
}
