import { allExecutions } from '../../facts/execution-table.ts'
import { createExecutions, executionEventTypes } from '../../facts/executions.ts'
import { createBuildFailures, failureEventTypes } from '../../facts/insight/build-failures.ts'
import { factsFailure, storedFailures } from '../../facts/insight/failure-text.ts'
import { failureKey } from '../../facts/insight/failure-key.ts'
import { testEventTypes } from '../../facts/test-cases.ts'
import { readEventHead } from '../../facts/event.ts'
import type { Facts } from '../../protocol/facts.ts'
import type { BuildCounts } from '../store/build-points.ts'
import { avoidance } from './cache-performance.ts'

/** Follows the events of one build to what it is counted by. */
export interface BuildCounter {
  /** Takes an event of whatever type as its JSON text; what cannot be read says nothing. */
  readonly take: (text: string) => void
  /** What it is counted by, and its facts with why it failed. */
  readonly result: (facts: Facts) => { readonly facts: Facts; readonly counts: BuildCounts }
}

/** Tests say why a build failed, and nothing of the cache; tasks are needed for both. */
const ofFailures: ReadonlySet<string> = new Set([...failureEventTypes, ...testEventTypes])
const ofTasks: ReadonlySet<string> = new Set(
  executionEventTypes.filter((type) => !/^Test|BuildFinished$/.test(type)),
)

/** The types that `take` reads. */
export const countedEventTypes: ReadonlySet<string> = new Set([...ofFailures, ...ofTasks])

/** Starts before the first event. */
export function createBuildCounter(): BuildCounter {
  const executions = createExecutions()
  const failures = createBuildFailures()
  return {
    take: (text) => {
      try {
        const head = readEventHead(text)
        const { eventType, timestamp, dataAt } = head
        if (ofFailures.has(eventType)) failures.take(text, head)
        if (ofTasks.has(eventType)) executions.take(eventType, timestamp, text, dataAt)
      } catch {
        // The build is stored as it came, odd events included.
      }
    },
    result: (facts) => {
      const [cause, ...others] =
        facts.outcome === 'failed' ? failures.failures().map(factsFailure) : []
      const known: Facts =
        cause === undefined
          ? facts
          : {
              ...facts,
              failure: cause,
              ...(others.length === 0 ? {} : { otherFailures: others }),
            }
      let [hits, cacheable] = [0, 0]
      for (const one of allExecutions(executions)) {
        const outcome = one.kind === 'test' ? '' : avoidance(one)
        const isHit = /^avoided_from_\w+_cache$/.test(outcome)
        if (isHit) hits += 1
        if (isHit || outcome === 'executed_cacheable') cacheable += 1
      }
      return {
        facts: known,
        counts: {
          cacheHits: cacheable === 0 ? null : hits,
          cacheable: cacheable === 0 ? null : cacheable,
          failures: storedFailures(known).map(failureKey),
        },
      }
    },
  }
}
