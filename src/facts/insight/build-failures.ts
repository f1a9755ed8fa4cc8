import type { BuildFailure } from '../../protocol/facts.ts'
import { cutText } from '../../protocol/untrusted-text.ts'
import { type EventHead, readEventData } from '../event.ts'
import { readExecutionEvent } from '../execution-event.ts'
import {
  buildEndTypes,
  createFailureReader,
  exceptionEventTypes,
  type Failure,
  type ThrownException,
} from '../failures.ts'
import { testEventTypes } from '../test-cases.ts'
import { failureKey } from './failure-key.ts'

/** The events that say why a Gradle or Maven build failed: what to request. */
export const failureEventTypes: readonly string[] = [...buildEndTypes, ...exceptionEventTypes]

/** Follows these events, and those of tests, to what of them is short enough for lists. */
export interface BuildFailures {
  /** Takes one of them as its JSON text; one that cannot be read says nothing. */
  readonly take: (text: string, head: EventHead) => void
  /**
   * Those that the build failed of, 10 at most: of tests one for each test, after the first of each
   * task. None while no event names any.
   */
  readonly failures: () => BuildFailure[]
  /** Whether tests failed of which no event said which: `testEventTypes` do. */
  readonly lacksTests: () => boolean
}

/** Starts before the first event. */
export function createBuildFailures(): BuildFailures {
  const reader = createFailureReader()
  const tests = createFailedTests()
  return {
    take: (text, head) => {
      const { eventType } = head
      try {
        if (testEventTypes.includes(eventType)) {
          tests.take(text, head)
          return
        }
        const data = readEventData(text)
        if (buildEndTypes.includes(eventType)) reader.takeEnd(data)
        else reader.take(data)
      } catch {
        // Counted where all events of a build are read.
      }
    },
    failures: () => {
      const [firsts, others]: [BuildFailure[], BuildFailure[]] = [[], []]
      for (const failure of reader.ofBuild().slice(0, mostFailures)) {
        const short = shortFailure(failure)
        if (short === undefined) continue
        const failed = isOfTests(short) ? tests.failedIn(failure.path) : []
        const [first, ...more] = withTests(short, failed, reader.find)
        if (first !== undefined) firsts.push(first)
        others.push(...more)
      }
      return [...firsts, ...others].slice(0, mostFailures)
    },
    lacksTests: () =>
      reader.ofBuild().some((failure) => {
        const short = shortFailure(failure)
        return short !== undefined && isOfTests(short) && tests.failedIn(failure.path).length === 0
      }),
  }
}

/** A test that failed and did not pass on a retry. */
interface FailedTest {
  readonly task: string | null
  readonly className: string | null
  readonly name: string
  readonly failureId: string | null
}

/** Follows the events of tests to those that failed in the end. */
function createFailedTests() {
  const tasks = new Map<string, string>()
  const running = new Map<string, Omit<FailedTest, 'failureId'>>()
  const failed = new Map<string, FailedTest>()
  const passed = new Set<string>()
  return {
    take: (text: string, { eventType, dataAt }: EventHead): void => {
      const event = readExecutionEvent(eventType, text, dataAt)
      if (event?.kind === 'task-started') tasks.set(event.id, event.path)
      else if (event?.kind === 'test-started' && !event.isSuite) {
        const { id, className, name } = event
        running.set(id, { task: tasks.get(event.task ?? '') ?? null, className, name })
      } else if (event?.kind === 'test-finished') {
        const test = running.get(event.id)
        running.delete(event.id)
        if (test === undefined || event.skipped) return
        const key = [test.task, test.className, test.name].join('\n')
        // Where one failed first, a pass is that of a retry.
        if (event.failed && !passed.has(key)) {
          failed.set(key, { ...test, failureId: event.failureId })
        } else if (!event.failed && failed.delete(key)) passed.add(key)
      }
    },
    /** By class and name: the order in which tests run differs from build to build. */
    failedIn: (task: string | null): readonly FailedTest[] =>
      [...failed.values()]
        .filter((test) => task === null || test.task === null || test.task === task)
        .sort((a, b) => compare(a.className ?? '', b.className ?? '') || compare(a.name, b.name)),
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Gradle and Surefire say no more of it than that. */
function isOfTests({ message }: BuildFailure): boolean {
  return /^There (?:was|were|are) (?:an? )?(?:failing tests?|test failures?)/i.test(message)
}

/** A failure for each of these tests whose failures aren't the same; the failure itself without any. */
function withTests(
  failure: BuildFailure,
  tests: readonly FailedTest[],
  find: (id: string) => Failure | undefined,
): readonly BuildFailure[] {
  const found = new Map<string, BuildFailure>()
  for (const { className, name, failureId } of tests) {
    if (found.size === mostFailures) break
    const thrown = failureId === null ? undefined : find(failureId)
    const own = thrown === undefined ? undefined : shortFailure(thrown)
    const one: BuildFailure = {
      ...failure,
      ...(own === undefined ? {} : { message: own.message, exception: own.exception }),
      test: {
        ...(className === null ? {} : { className: cutText(className, longestName) }),
        name: cutText(name, longestName),
        others: tests.length - 1,
      },
    }
    const key = failureKey(one)
    if (!found.has(key)) found.set(key, one)
  }
  return found.size === 0 ? [failure] : [...found.values()]
}

const mostFailures = 10
const longestMessage = 1000
const longestName = 300

/** Why something failed, in short; undefined where no exception of it has a message or a class. */
function shortFailure(failure: Failure): BuildFailure | undefined {
  const cause = innermost(failure)
  if (cause === undefined) return undefined
  return {
    message: cutText((cause.message ?? '').trim(), longestMessage),
    exception: cutText(cause.className, longestName),
    ...(failure.path === null ? {} : { task: cutText(failure.path, longestName) }),
  }
}

/** The last of the first chain of causes that says anything, or the failure itself where none does. */
function innermost({ exceptions }: Failure): ThrownException | undefined {
  const end = exceptions.findIndex(({ depth }, place) => depth !== place)
  const chain = end === -1 ? exceptions : exceptions.slice(0, end)
  return chain.findLast(({ message }) => (message ?? '').trim() !== '') ?? chain.at(-1)
}
