import { setImmediate } from 'node:timers/promises'
import * as z from 'zod/mini'
import { createBuildCollector } from '../../../facts/build-collector.ts'
import { createTestHistory, type TestHistoryOptions } from '../../../facts/insight/test-history.ts'
import {
  createTestResults,
  testedBuild,
  testResultEventTypes,
} from '../../../facts/insight/test-results.ts'
import { factsOfMessage } from '../../../facts/merged-facts.ts'
import { testEventTypes } from '../../../facts/test-cases.ts'
import { type BuildSummary, toBuildMessage } from '../../../protocol/build-data.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { Facts } from '../../../protocol/facts.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import {
  mostTestRows,
  type TestId,
  type TestsLine,
  type TestsProgress,
  type TestsRequest,
} from '../../../protocol/test-insight.ts'
import { type Answer, compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { readSharedQuery } from '../shared-search/shared-search-list.ts'
import type { BuildWalk } from './build-walk.ts'
import {
  type BuildInsight,
  type BuildReading,
  type InsightReader,
  readingOfEvents,
} from './insights.ts'

/** What tests across builds are found out with. */
export interface TestLinesOptions {
  readonly walk: BuildWalk
  readonly reader: InsightReader<TestReading>
  readonly clock: Clock
  readonly history: TestHistoryOptions
  /** The tests that are quarantined now. */
  readonly quarantined: () => Promise<readonly TestId[]>
}

/**
 * The lines of a request: how far the reading has come, what is known meanwhile, and at the end all
 * of it. Throws a ProblemError 400 for a query with a mistake.
 */
export type TestLines = (
  request: TestsRequest,
) => (signal: AbortSignal) => AsyncGenerator<TestsLine, void, undefined>

/** Others get their turn after so long, ms. */
const timeSliceMs = 12
/** How often progress is reported, and at least how long lies between two summaries, ms. */
const progressMs = 300
const summaryMs = 1_500
/** The rows of each list before all builds are read. */
const rowsMeanwhile = 50

/** Reads builds newest first, folds their tests, and says what is known. */
export function createTestLines(options: TestLinesOptions): TestLines {
  const { walk, reader, clock } = options

  /** Runs what pauses often, and lets others have their turn in the pauses. */
  async function inSlices<Value>(steps: Generator<void, Value>): Promise<Value> {
    for (let since = clock.now(); ;) {
      const step = steps.next()
      if (step.done === true) return step.value
      if (clock.now() - since < timeSliceMs) continue
      await setImmediate()
      since = clock.now()
    }
  }

  return (request) => {
    const query = readSharedQuery(request.query)
    const matches = compile(parse(query), { now: clock.now(), timeZone: 'UTC' })
    const { test, search, offset, narrow } = request
    return async function* (signal) {
      const history = createTestHistory(options.history)
      const progress: Counts = { ...atStart }
      let [reportedAt, summedAt] = [clock.now(), clock.now()]
      let summed = 0
      let reported = stage()
      const quarantined = await options.quarantined()
      const summary = async (limit: number): Promise<TestsLine> => ({
        kind: 'summary',
        summary: await inSlices(history.summary({ search, offset, narrow, quarantined, limit })),
      })
      let isBusy = false
      const report = (): TestsLine => {
        isBusy = walk.isBusy() || reader.isHeld()
        return { kind: 'progress', progress: { ...progress, ...(isBusy && { busy: true }) } }
      }
      const isOther = (): boolean => isBusy !== (walk.isBusy() || reader.isHeld())
      const found = new Map<string, FoundBuild>()
      yield report()
      try {
        for await (const insight of withPauses(readings(), clock, progressMs)) {
          if (insight !== undefined) {
            const build = found.get(insight.buildId)
            if (build === undefined) continue
            take(insight, build)
            // What is kept comes without a pause.
            await setImmediate()
          }
          const now = clock.now()
          const isFurther = reported !== stage() || isOther()
          if (now - reportedAt >= progressMs && isFurther) {
            ;[reportedAt, reported] = [now, stage()]
            yield report()
          }
          const isDue = now - summedAt >= summaryMs || (insight === undefined && summed === 0)
          const isMore = progress.read < progress.of || progress.listing === true
          if (test === undefined && isDue && isMore && isUnsummed()) {
            summed = progress.read
            // What is counted is never more than what is said to be read.
            ;[reportedAt, reported] = [now, stage()]
            yield report()
            yield await summary(rowsMeanwhile)
            summedAt = clock.now()
          }
        }
        if (signal.aborted) return
        if (test === undefined) yield await summary(mostTestRows)
        else yield { kind: 'test', test: (await inSlices(history.runsOf(test))) ?? null }
        yield { kind: 'done', progress }
      } catch (error) {
        if (signal.aborted || !(error instanceof ProblemError)) throw error
        if (test === undefined && isUnsummed()) yield await summary(mostTestRows)
        const { sentence, status, retryAfterMs } = error
        yield { kind: 'failed', progress, problem: sentence, status, retryAfterMs }
      }

      /** What of the builds that were found is read, while the list is walked further; undefined for each page of it. */
      async function* readings(): AsyncGenerator<
        BuildInsight<TestReading> | undefined,
        void,
        undefined
      > {
        const pages = walk.newest(query, signal)
        const read = request.kept ? reader.kept : reader.read
        try {
          for (let next = pages.next(); ;) {
            const page = await next
            if (page.done === true) break
            const { builds, searched } = page.value
            const taken = builds.slice(0, request.builds - found.size)
            for (const build of taken) found.set(build.id, { build, searched })
            const more = taken.length < builds.length
            const exported = walk.isExported() && { exported: true }
            Object.assign(progress, { of: found.size, more, searched, ...exported })
            if (found.size === request.builds) delete progress.listing
            yield undefined
            if (!more) {
              next = pages.next()
              // Whatever it is, it is reported once these builds are read.
              next.catch(() => undefined)
            }
            yield* read(
              taken.map(({ id }) => id),
              signal,
            )
            if (more) break
          }
          delete progress.listing
        } finally {
          await pages.return()
        }
      }

      function stage(): string {
        return `${progress.read} ${progress.of} ${progress.listing === true}`
      }

      /** Whether more is known than was reported. */
      function isUnsummed(): boolean {
        return summed < progress.read && history.size().tests > 0
      }

      function take(insight: BuildInsight<TestReading>, { build, searched }: FoundBuild): void {
        progress.read++
        if ('problem' in insight) {
          progress.unreadable++
          progress.problem = insight.problem
          return
        }
        if (insight.bytes === 0) progress.kept++
        const { facts: known, suites, isWhole } = insight.result
        const facts: Facts = { ...known, ...factsOfMessage(toBuildMessage(build)) }
        const answer: Answer = searched ? 'yes' : matches(facts)
        if (answer === 'no') {
          progress.unmatched++
          return
        }
        if (!isWhole) progress.partial++
        if (suites.length === 0) progress.withoutTests++
        else history.add(testedBuild(facts, suites))
      }
    }
  }
}

/** The values as they come, and undefined each time that none came for `ms`. */
async function* withPauses<Value>(
  values: AsyncGenerator<Value, void, undefined>,
  clock: Clock,
  ms: number,
): AsyncGenerator<Value | undefined, void, undefined> {
  try {
    for (;;) {
      const next = values.next()
      for (;;) {
        const over = new AbortController()
        const first = await Promise.race([next, wait(clock, ms, over.signal)])
        over.abort()
        if (first === undefined) yield undefined
        else if (first.done === true) return
        else {
          yield first.value
          break
        }
      }
    }
  } finally {
    await values.return()
  }
}

interface FoundBuild {
  readonly build: BuildSummary
  /** Whether the server says that it matches. */
  readonly searched: boolean
}

type Counts = { -readonly [Key in keyof TestsProgress]: TestsProgress[Key] }

const atStart: Counts = {
  ...{ read: 0, of: 0, kept: 0, withoutTests: 0, unmatched: 0, partial: 0 },
  ...{ unreadable: 0, more: false, searched: true, listing: true },
}

/** What events say beyond the announcement of a build. */
const EventFacts = z.omit(Facts, {
  buildId: true,
  receivedAt: true,
  buildTool: true,
  buildToolVersion: true,
  agentVersion: true,
})

/** The results of a build's tests, and the facts by which they are put beside those of others. */
const TestReading = z.object({
  facts: EventFacts,
  suites: z.array(
    z.object({
      task: z.nullable(z.string()),
      className: z.nullable(z.string()),
      names: z.array(z.string()),
      outcomes: z.string(),
      ms: z.array(z.number()),
      messages: z.optional(z.record(z.string(), z.string())),
    }),
  ),
  /** False where there are more events than are read. */
  isWhole: z.boolean(),
})
type TestReading = z.infer<typeof TestReading>

/** Reads how the tests of a build ended. */
export const testReading: BuildReading<TestReading> = {
  name: 'tests',
  version: 1,
  schema: TestReading,
  read: readingOfEvents({
    eventTypes: testResultEventTypes,
    // Some 150,000 tests.
    maxBytes: 96 * 1024 * 1024,
    start: () => {
      const collector = createBuildCollector({ header: true, executions: false, logBytes: 0 })
      const results = createTestResults()
      const forResults = new Set(testEventTypes)
      return {
        take: (text, { eventType, timestamp, dataAt }) => {
          if (!forResults.has(eventType)) {
            collector.event(text, '')
            return
          }
          try {
            results.take(eventType, timestamp, text, dataAt)
          } catch {
            // One event that can't be read is no reason to lose the others.
          }
        },
        result: (isWhole) => {
          const header = collector.header()
          const { facts } = header.read(unannounced)
          return {
            facts: EventFacts.parse(facts),
            suites: results.suites(header.failure).map((suite) => ({
              ...suite,
              names: [...suite.names],
              ms: [...suite.ms],
            })),
            isWhole,
          }
        },
      }
    },
  }),
}

/** Its announcement is known from the list of builds: what stands here is left out again. */
const unannounced = {
  ...{ buildId: '', timestamp: 0, toolType: '', toolVersion: '', agentVersion: '' },
}
