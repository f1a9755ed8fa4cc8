import type { Facts } from '../../protocol/facts.ts'
import { cutText, shortText } from '../../protocol/untrusted-text.ts'
import { headerEventTypes } from '../build-collector.ts'
import { ownText } from '../column.ts'
import { readExecutionEvent } from '../execution-event.ts'
import type { Failure } from '../failures.ts'
import { testEventTypes } from '../test-cases.ts'
import { originOf } from '../tile-branch.ts'

/** How the tests of one task and class ended in one build; the lists go by the same place. */
export interface TestSuite {
  /** The path of the task; null where the events name none. */
  readonly task: string | null
  readonly className: string | null
  readonly names: readonly string[]
  /** A letter for each: p passed, f failed, r failed and passed on a retry, s skipped. */
  readonly outcomes: string
  /** Of all runs together, ms; -1 where unknown. */
  readonly ms: readonly number[]
  /** What a failed or flaky one threw, by its place. */
  readonly messages?: Readonly<Record<string, string>> | undefined
}

/** What of a build a history of tests is folded from. */
export interface TestedBuild {
  readonly buildId: string
  /** When it started, else when it was received, epoch ms. */
  readonly at: number
  readonly project: string | null
  readonly branch: string | null
  /** Null where it is unknown, or there were changes that nobody has committed. */
  readonly commit: string | null
  /** Equal for builds that were requested to do the same, by the same job. */
  readonly work: string
  readonly requested: readonly string[]
  readonly suites: readonly TestSuite[]
}

/** The events that say all of it: what to request. */
export const testResultEventTypes: readonly string[] = [
  ...new Set([...headerEventTypes, ...testEventTypes]),
]

/** Names and messages that are longer are cut, characters. */
const longestTestName = 500
const longestMessage = 300

/** Follows the events of tests to their results. */
export interface TestResults {
  /** Takes an event of `testEventTypes`. Throws as `readEventData` where it cannot be read. */
  readonly take: (eventType: string, timestamp: number, text: string, dataAt: number) => void
  /** What is known of all that have ended, and what they threw by the exceptions of the build. */
  readonly suites: (failureOf: (id: string) => Failure | undefined) => readonly TestSuite[]
}

/**
 * Starts before the first event. It says the same as `testCases` (test-cases.ts), but keeps a letter
 * and a number of each test: builds with fifty thousand are read while others wait.
 */
export function createTestResults(): TestResults {
  const tasks = new Map<string, string>()
  const running = new Map<string, Running>()
  const suites = new Map<string, SuiteDraft>()

  function start(id: string, at: number, named: Omit<Running, 'at'>): void {
    running.set(id, { at, ...named })
  }

  function end(id: string, at: number, ended: number, failureId: string | null): void {
    const run = running.get(id)
    if (run === undefined) return
    running.delete(id)
    const { suite, name } = run
    let place = suite.places.get(name)
    if (place === undefined) {
      place = suite.names.push(name) - 1
      suite.places.set(name, place)
    }
    suite.ended[place] = (suite.ended[place] ?? 0) | ended
    suite.ms[place] = (suite.ms[place] ?? 0) + Math.max(0, at - run.at)
    if (failureId !== null) suite.failures.set(place, ownText(failureId))
  }

  return {
    take: (eventType, at, text, dataAt) => {
      const event = readExecutionEvent(eventType, text, dataAt)
      if (event?.kind === 'task-started') {
        const { id, path, buildPath } = event
        const isOwn = buildPath === null || buildPath === ':'
        tasks.set(ownText(id), ownText(isOwn ? path : buildPath + path))
      } else if (event?.kind === 'test-started' && !event.isSuite) {
        const { id, task, className, name } = event
        const suite = suiteOf(suites, tasks.get(task ?? '') ?? null, className)
        start(id, at, { suite, name: ownText(shortName(name)) })
      } else if (event?.kind === 'test-finished') {
        const { id, failed, skipped, failureId } = event
        end(id, at, failed ? didFail : skipped ? didSkip : didPass, failureId)
      }
    },
    suites: (failureOf) => Array.from(suites.values(), (draft) => suiteFrom(draft, failureOf)),
  }
}

/** Letters that add up over the runs of a test. */
const [didFail, didPass, didSkip] = [1, 2, 4]

interface Running {
  readonly suite: SuiteDraft
  readonly name: string
  readonly at: number
}

interface SuiteDraft {
  readonly task: string | null
  readonly className: string | null
  readonly places: Map<string, number>
  readonly names: string[]
  readonly ended: number[]
  readonly ms: number[]
  /** The exception of the last failure, by place. */
  readonly failures: Map<number, string>
}

function suiteOf(
  suites: Map<string, SuiteDraft>,
  task: string | null,
  className: string | null,
): SuiteDraft {
  const key = `${task ?? ''}\n${className ?? ''}`
  const known = suites.get(key)
  if (known !== undefined) return known
  const made = {
    ...{ task, className: className === null ? null : ownText(shortName(className)) },
    ...{ places: new Map<string, number>(), failures: new Map<number, string>() },
    ...{ names: [], ended: [], ms: [] },
  }
  suites.set(ownText(key), made)
  return made
}

function suiteFrom(
  { task, className, names, ended, ms, failures }: SuiteDraft,
  failureOf: (id: string) => Failure | undefined,
): TestSuite {
  const messages = Object.fromEntries(
    [...failures].flatMap(([place, id]) => {
      const message = messageOf(failureOf(id))
      return message === undefined ? [] : [[place, message]]
    }),
  )
  return {
    ...{ task, className, names, ms },
    outcomes: ended.map(letterOf).join(''),
    ...(Object.keys(messages).length === 0 ? {} : { messages }),
  }
}

function letterOf(ended: number): string {
  if ((ended & didFail) !== 0) return (ended & didPass) === 0 ? 'f' : 'r'
  return (ended & didPass) === 0 ? 's' : 'p'
}

/** The results of a build with what its facts say of it. */
export function testedBuild(facts: Facts, suites: readonly TestSuite[]): TestedBuild {
  const origin = originOf(facts)
  return {
    buildId: facts.buildId,
    at: facts.startTime ?? facts.receivedAt,
    project: facts.project ?? null,
    branch: origin.branch ?? null,
    commit: isDirty(facts) ? null : (origin.commit ?? null),
    work: origin.work,
    requested: facts.requested ?? [],
    suites,
  }
}

/** The innermost exception that says something is the one that people look for. */
function messageOf(failure: Failure | undefined): string | undefined {
  const thrown = failure?.exceptions.findLast(({ message }) => (message ?? '').trim() !== '')
  const { className, message } = thrown ?? failure?.exceptions.at(-1) ?? {}
  if (className === undefined) return undefined
  const text = (message ?? '').trim()
  const said = text === '' ? className : `${className.split('.').at(-1) ?? ''}: ${text}`
  return shortText(said, longestMessage)
}

function shortName(name: string): string {
  if (name.length <= longestTestName) return name
  return `${cutText(name, longestTestName - 10)}… ${hashOf(name)}`
}

/** FNV-1a (draft-eastlake-fnv), 8 hex digits. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(8, '0')
}

/** The common plug-ins list the files that were changed as the value `Git status`, and tag the build. */
function isDirty({ values = [], tags = [] }: Facts): boolean {
  return (
    tags.some((tag) => tag.toLowerCase() === 'dirty') ||
    values.some(({ name, value }) => name.toLowerCase() === 'git status' && value.trim() !== '')
  )
}
