import { readEventHead } from '../../facts/event.ts'
import { allExecutions } from '../../facts/execution-table.ts'
import { createExecutions, executionEventTypes } from '../../facts/executions.ts'
import { createBuildFailures, failureEventTypes } from '../../facts/insight/build-failures.ts'
import { failureKey } from '../../facts/insight/failure-key.ts'
import { factsFailure, storedFailures } from '../../facts/insight/failure-text.ts'
import { testEventTypes } from '../../facts/test-cases.ts'
import { Facts } from '../../protocol/facts.ts'
import { storeCounted, type Uncounted, uncountedBuilds } from '../store/backfill.ts'
import { readEvents } from '../store/build-events.ts'
import type { BuildCounts, CountedBuild } from '../store/build-points.ts'
import type { Database } from '../store/database.ts'
import { avoidance } from './cache-performance.ts'

/** Counts builds that an earlier release stored, beside all other work. */
export interface Counting {
  /** Whether every build is counted. */
  readonly isWhole: () => boolean
  /** Ends it; what is left is taken up at the next start. */
  readonly stop: () => Promise<void>
}

const batchSize = 50

/** Begins once every build can be searched, the newest builds first. A failure is reported, no more. */
export function startCounting(
  database: Database,
  searchable: Promise<void>,
  failed: (error: unknown) => void,
): Counting {
  let isWhole = false
  let stopped = false
  const running = searchable.then(run).catch(failed)

  async function run(): Promise<void> {
    while (!stopped && !isWhole) {
      const { builds, upto } = await uncountedBuilds(database, batchSize)
      const isLast = builds.length < batchSize
      const rest = isLast ? 0 : (builds.at(-1)?.position ?? 1) - 1
      if (upto > 0) await storeCounted(database, await Promise.all(builds.map(counted)), rest)
      isWhole = rest === 0
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async function counted({ position, facts }: Uncounted['builds'][number]): Promise<CountedBuild> {
    const counter = createBuildCounter()
    for await (const page of readEvents(database, position, { types: countedEventTypes })) {
      for (const { text } of page) counter.take(text)
    }
    return { position, ...counter.result(Facts.parse(JSON.parse(facts))) }
  }

  return {
    isWhole: () => isWhole,
    stop: async () => {
      stopped = true
      await running
    },
  }
}

/** Follows the events of one build to what it is counted by. */
interface BuildCounter {
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
