import * as z from 'zod/mini'
import { createBuildCollector } from '../../../facts/build-collector.ts'
import { createTestResults, testResultEventTypes } from '../../../facts/insight/test-results.ts'
import { testEventTypes } from '../../../facts/test-cases.ts'
import { Facts } from '../../../protocol/facts.ts'
import { type BuildReading, readingOfEvents } from './insights.ts'

/** What events say beyond the announcement of a build. */
const EventFacts = z.omit(Facts, {
  buildId: true,
  receivedAt: true,
  buildTool: true,
  buildToolVersion: true,
  agentVersion: true,
})

/** The results of a build's tests, and the facts by which they are put beside those of others. */
export const TestReading = z.object({
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
export type TestReading = z.infer<typeof TestReading>

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
