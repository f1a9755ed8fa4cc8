import { type TimedEvent, timedEvent } from './build-event-text.ts'
import type { BuildPlan } from './build-plan.ts'
import { thrown, type ThrownException } from './exception-events.ts'
import { type GradleFailure, gradleFailureOf } from './gradle-failure.ts'
import { gradleOptionsOf } from './gradle-options.ts'
import { isCacheable, outcomesOf, type TaskOutcome } from './gradle-task-outcome.ts'
import { type Task, tasksFor } from './gradle-tasks.ts'
import { createCacheKey, createEventId, createScopeId } from './identifiers.ts'
import { between, type Random, whole } from './seeded-random.ts'
import { testEvents } from './test-events.ts'
import { scheduleWork, type Slot } from './work-schedule.ts'

/** The tasks of a build as told by its events, and what was thrown meanwhile. */
export interface TaskEvents {
  readonly events: readonly TimedEvent[]
  /** Null where the build passed. */
  readonly failure: GradleFailure | null
  /** Of tests that were repeated. */
  readonly flaky: readonly ThrownException[]
}

/**
 * Started and finished events of every task that ran between `from` and `to` (epoch ms), on as many
 * workers as the build had, with tests inside test tasks. `light` tells of a few tasks only.
 */
export function taskEvents(
  plan: BuildPlan,
  from: number,
  to: number,
  light: boolean,
  random: Random,
): TaskEvents {
  const options = gradleOptionsOf(plan)
  const tasks = tasksFor(plan.project, plan.requested, options.excluded)
  const outcomes = outcomesOf(plan, tasks, random)
  const work = tasks.map((task, index) => {
    const outcome = outcomes[index] ?? 'success'
    return {
      dependsOn: task.dependsOn,
      cost: costOf(task, outcome, random),
      failed: outcome === 'failed',
    }
  })
  const workers = options.parallel ? options.maxWorkers : 1
  const slots = scheduleWork(work, workers, options.continueOnFailure)
  const length = Math.max(1e-6, ...slots.map(({ end }) => end))
  const scale = (to - from) / length
  const failing = slots.find(({ index }) => outcomes[index] === 'failed')
  const failingPath = failing === undefined ? null : (tasks[failing.index]?.path ?? null)
  const failure =
    plan.failure === null ? null : gradleFailureOf(plan, plan.failure, failingPath, random)

  const events: TimedEvent[] = []
  const flaky: ThrownException[] = []
  const operations = createEventId(random)
  for (const slot of light ? fewOf(slots, outcomes) : slots) {
    const task = tasks[slot.index]
    const outcome = outcomes[slot.index]
    if (task === undefined || outcome === undefined) continue
    const id = createEventId(random)
    const begin = Math.round(from + slot.begin * scale)
    const end = Math.round(from + slot.end * scale)
    events.push(startedEvent(task, id, begin))
    if (task.kind === 'test' && (outcome === 'success' || outcome === 'failed')) {
      const repeated = outcome === 'success' && flaky.length === 0 ? flakyOf(plan, random) : null
      if (repeated !== null) flaky.push(repeated.exception)
      const told = !light || outcome === 'failed' || repeated !== null
      const run = {
        id,
        begin,
        end,
        failing: outcome === 'failed' ? failingTest(plan, failure) : null,
        flaky: repeated && { test: repeated.test, failureId: repeated.exception.id },
      }
      if (told) events.push(...testEvents(plan, run, random))
    }
    // Operations of the build cache are numbered one after the other, as recorded ones are: read as
    // JavaScript numbers, neighbours become the same.
    if (outcome === 'from_cache' && !light && slot.index % 3 === 0) {
      events.push(...unpackEvents(id, operations + BigInt(slot.index), begin, end, random))
    }
    events.push(finishedEvent(task, outcome, id, end, random))
  }
  return { events, failure, flaky }
}

/** The part of the tasks that is told of when there is little room: those that matter most. */
function fewOf(slots: readonly Slot[], outcomes: readonly TaskOutcome[]): Slot[] {
  const some = slots.filter(({ index }) => outcomes[index] === 'success').slice(0, 3)
  const failed = slots.filter(({ index }) => outcomes[index] === 'failed')
  return [...some, ...failed]
}

function costOf(task: Task, outcome: TaskOutcome, random: Random): number {
  switch (outcome) {
    case 'success':
    case 'failed':
      return task.cost * between(random, 0.5, 1.5)
    case 'from_cache':
      return between(random, 0.3, 1.2)
    case 'up_to_date':
      return between(random, 0.05, 0.4)
    case 'no_source':
    case 'skipped':
      return 0.01
  }
}

function failingTest(plan: BuildPlan, failure: GradleFailure | null): FailingTest | null {
  const exception = failure?.ofTest
  if (!exception || plan.failure === null) return null
  return { test: plan.failure.test, failureId: exception.id }
}

type FailingTest = NonNullable<Parameters<typeof testEvents>[1]['failing']>

function flakyOf(
  plan: BuildPlan,
  random: Random,
): { readonly test: FailingTest['test']; readonly exception: ThrownException } | null {
  if (plan.flakyTest === null) return null
  const exception = thrown(
    random,
    'org.awaitility.core.ConditionTimeoutException',
    'Condition was not fulfilled within 10 seconds.',
    { frames: [['org.awaitility.core.ConditionAwaiter', 'await', 'ConditionAwaiter.java', 167]] },
  )
  return { test: plan.flakyTest, exception }
}

function startedEvent(task: Task, id: bigint, at: number): TimedEvent {
  const { path, className } = task
  const noActions = task.kind === 'lifecycle'
  return timedEvent(at, 'TaskStarted', 5, {
    id,
    buildPath: ':',
    path,
    className,
    thread: null,
    noActions,
  })
}

function finishedEvent(
  task: Task,
  outcome: TaskOutcome,
  id: bigint,
  at: number,
  random: Random,
): TimedEvent {
  const avoided =
    outcome === 'from_cache' || (outcome === 'up_to_date' && task.kind !== 'lifecycle')
  const undetermined = task.kind === 'lifecycle' || outcome === 'no_source' || outcome === 'skipped'
  const cacheable = isCacheable(task.kind) && !undetermined
  return timedEvent(at, 'TaskFinished', 6, {
    id,
    path: task.path,
    outcome,
    skipMessage: outcome === 'skipped' ? 'SKIPPED' : null,
    cacheable,
    cachingDisabledReasonCategory: cacheable
      ? null
      : undetermined
        ? 'UNKNOWN'
        : 'NOT_ENABLED_FOR_TASK',
    cachingDisabledExplanation: cacheable
      ? null
      : undetermined
        ? 'Cacheability was not determined'
        : 'Caching has not been enabled for the task',
    originBuildInvocationId: avoided ? createScopeId(random) : null,
    originExecutionTime: avoided ? Math.round(task.cost * between(random, 40, 400)) : null,
    actionable: task.kind !== 'lifecycle',
    upToDateMessages: outcome === 'from_cache' ? ['No history is available.'] : [],
    cachingDisabledReason: null,
  })
}

function unpackEvents(
  task: bigint,
  id: bigint,
  begin: number,
  end: number,
  random: Random,
): TimedEvent[] {
  const archiveSize = whole(random, 400, 900_000)
  const cacheKey = createCacheKey(random)
  const archiveEntryCount = whole(random, 2, 90)
  return [
    timedEvent(begin, 'BuildCacheUnpackStarted', 0, { task, id, cacheKey, archiveSize }),
    timedEvent(end, 'BuildCacheUnpackFinished', 1, {
      id,
      archiveEntryCount,
      failureId: null,
      failure: null,
    }),
  ]
}
