import { type TimedEvent, timedEvent } from './build-event-text.ts'
import type { BuildPlan } from './build-plan.ts'
import { type TestCase, testCase } from './failure.ts'
import { createEventId } from './identifiers.ts'
import { type Random, whole } from './seeded-random.ts'

/** The test task whose tests are told of. */
export interface TestTask {
  readonly id: bigint
  /** Epoch ms. */
  readonly begin: number
  readonly end: number
  /** The test that fails, with the exception that it throws. */
  readonly failing: { readonly test: TestCase; readonly failureId: bigint } | null
  /** A test that fails and passes when it is repeated. */
  readonly flaky: { readonly test: TestCase; readonly failureId: bigint } | null
}

/**
 * The events of the tests of one task: an executor, its classes, their cases, each started and
 * finished. There is no outcome for flaky: the same case is seen to fail and then to pass.
 */
export function testEvents(plan: BuildPlan, task: TestTask, random: Random): TimedEvent[] {
  const classes = classesOf(plan, task, random)
  const runs = classes.reduce((sum, { cases }) => sum + cases.length, 0)
  const step = (task.end - task.begin) / (runs + 1)
  const events: TimedEvent[] = []
  let at = task.begin + step / 2

  const suite = (parent: bigint | null, name: string, className: string | null): bigint => {
    const id = createEventId(random)
    events.push(started(task.id, id, parent, at, name, className, true))
    return id
  }
  const executor = suite(null, `Gradle Test Executor ${whole(random, 1, 40)}`, null)
  for (const { className, cases } of classes) {
    const ofClass = suite(executor, className, className)
    for (const { name, failureId } of cases) {
      const id = createEventId(random)
      events.push(started(task.id, id, ofClass, at, name, className, false))
      at += step
      events.push(finished(task.id, id, at, failureId !== null, failureId))
    }
    events.push(finished(task.id, ofClass, at, cases.some(failsForGood), null))
  }
  events.push(
    finished(
      task.id,
      executor,
      at,
      classes.some((one) => one.cases.some(failsForGood)),
      null,
    ),
  )
  return events
}

interface CaseRun {
  readonly name: string
  readonly failureId: bigint | null
  readonly repeated: boolean
}

function failsForGood({ failureId, repeated }: CaseRun): boolean {
  return failureId !== null && !repeated
}

function classesOf(
  plan: BuildPlan,
  task: TestTask,
  random: Random,
): { readonly className: string; readonly cases: readonly CaseRun[] }[] {
  const classes = new Map<string, CaseRun[]>()
  const run = (
    { className, name }: TestCase,
    failureId: bigint | null,
    repeated: boolean,
  ): void => {
    const cases = classes.get(className) ?? []
    classes.set(className, cases)
    if (repeated || !cases.some((one) => one.name === name))
      cases.push({ name, failureId, repeated })
  }
  if (task.failing !== null) run(task.failing.test, task.failing.failureId, false)
  if (task.flaky !== null) {
    run(task.flaky.test, task.flaky.failureId, true)
    run(task.flaky.test, null, true)
  }
  for (let more = whole(random, 1, 4); more > 0; more--) {
    run(testCase(plan.project, random()), null, false)
  }
  return Array.from(classes, ([className, cases]) => ({ className, cases }))
}

function started(
  task: bigint,
  id: bigint,
  parent: bigint | null,
  at: number,
  name: string,
  className: string | null,
  suite: boolean,
): TimedEvent {
  return timedEvent(Math.round(at), 'TestStarted', 0, { task, id, parent, name, className, suite })
}

function finished(
  task: bigint,
  id: bigint,
  at: number,
  failed: boolean,
  failureId: bigint | null,
): TimedEvent {
  const data = { task, id, failed, skipped: false, failureId, failure: null }
  return timedEvent(Math.round(at), 'TestFinished', 1, data)
}
