import type { Facts } from '../protocol/facts.ts'
import { groupedBy } from '../protocol/keyed.ts'
import { testName } from '../protocol/test-insight.ts'
import type { Execution } from './execution.ts'
import { createExecutions } from './executions.ts'
import type { EventHead } from './event.ts'

/** How a test case did over all its runs: flaky is the one that failed and passed. */
export const caseOutcomes = ['failed', 'flaky', 'passed', 'skipped', 'unfinished'] as const
export type CaseOutcome = (typeof caseOutcomes)[number]

/** A test case of one task, with each time that it ran. */
export interface TestCase {
  /** The path of the task that ran it, if that is known. */
  readonly task: string | null
  readonly className: string | null
  readonly name: string
  readonly outcome: CaseOutcome
  /** In the order of their starts. */
  readonly runs: readonly Execution[]
  /** Of all runs together, ms. */
  readonly durationMs: number
}

/**
 * Gathers the runs of tests into cases, in the order of their first runs. There is no event that
 * says flaky: a case is, if the same task ran the same name of the same class more than once, with
 * a failure and a pass among them (docs/services.md#export-event-types).
 */
export function testCases(executions: Iterable<Execution>): readonly TestCase[] {
  const tests = Array.from(executions).filter(({ kind }) => kind === 'test')
  const cases = groupedBy(tests, ({ parent, path }) => `${parent ?? ''}\n${path}`)
  return Array.from(cases.values(), toCase)
}

/** The events that say how the tests of a build ended: what to request. */
export const testEventTypes: readonly string[] = ['TaskStarted', 'TestStarted', 'TestFinished']

export interface TestFacts {
  /** Takes an event of one of these types; what cannot be read says nothing. */
  readonly take: (text: string, head: EventHead) => void
  /** Undefined where no test has ended. */
  readonly facts: () => Facts['tests']
}

/** Starts before the first event. */
export function createTestFacts(): TestFacts {
  const executions = createExecutions()
  return {
    take: (text, { timestamp, eventType, dataAt }) => {
      try {
        executions.take(eventType, timestamp, text, dataAt)
      } catch {
        // Counted where all events of a build are read.
      }
    },
    facts: () => {
      const all = Array.from({ length: executions.length() }, (_, place) => executions.at(place))
      return testFacts(testCases(all))
    },
  }
}

/** So many failed or flaky tests are named, and so many tasks: facts go to every browser. */
const mostNamed = 20
const mostTasks = 200

function testFacts(cases: readonly TestCase[]): Facts['tests'] {
  const ended = cases.filter(({ outcome }) => outcome !== 'skipped' && outcome !== 'unfinished')
  if (ended.length === 0) return undefined
  const named = (wanted: CaseOutcome) =>
    ended
      .filter(({ outcome }) => outcome === wanted)
      .slice(0, mostNamed)
      .map((test) => ({ task: test.task ?? '', name: testName(test) }))
  const broken = new Set(ended.flatMap(({ task, outcome }) => (outcome === 'failed' ? [task] : [])))
  const tasks = new Set(ended.flatMap(({ task }) => (broken.has(task) ? [] : [task ?? ''])))
  return {
    failed: named('failed'),
    flaky: named('flaky'),
    passedTasks: [...tasks].slice(0, mostTasks),
  }
}

function toCase(runs: readonly Execution[]): TestCase {
  const [first] = runs
  const className = first?.className ?? null
  const path = first?.path ?? ''
  return {
    task: first?.parent ?? null,
    className,
    name: className === null ? path : path.slice(className.length + 1),
    outcome: caseOutcome(runs),
    runs,
    durationMs: runs.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
  }
}

function caseOutcome(runs: readonly Execution[]): CaseOutcome {
  const has = (outcome: Execution['outcome']): boolean =>
    runs.some((run) => run.outcome === outcome)
  if (has('failed')) return has('succeeded') ? 'flaky' : 'failed'
  if (has('succeeded')) return 'passed'
  return has('skipped') ? 'skipped' : 'unfinished'
}
