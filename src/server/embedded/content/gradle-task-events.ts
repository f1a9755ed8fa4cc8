import { type TimedEvent, timedEvent } from './build-event-text.ts'
import type { BuildPlan } from './build-plan.ts'
import { thrown, type ThrownException } from './exception-events.ts'
import type { TestCase } from './failure.ts'
import { type GradleFailure, gradleFailureOf } from './gradle-failure.ts'
import { isCacheable } from './gradle-task-outcome.ts'
import { type RanTask, runTasks } from './gradle-task-run.ts'
import { createCacheKey, createEventId, createScopeId } from './identifiers.ts'
import { between, chance, type Random, whole } from './seeded-random.ts'
import { testEvents, type TestTask } from './test-events.ts'

/** The tasks of a build as told by its events, and what was thrown meanwhile. */
export interface TaskEvents {
  readonly events: readonly TimedEvent[]
  /** Null where the build passed. */
  readonly failure: GradleFailure | null
  /** Of tests that were repeated. */
  readonly flaky: readonly ThrownException[]
}

/**
 * Started and finished events of every task that ran between `from` and `to` (epoch ms), with tests
 * inside test tasks. `light` tells of a few tasks only.
 */
export function taskEvents(
  plan: BuildPlan,
  from: number,
  to: number,
  light: boolean,
  random: Random,
): TaskEvents {
  const ran = plan.failure?.cause === 'configuration' ? [] : runTasks(plan, from, to, random)
  const failed = ran.find(({ outcome }) => outcome === 'failed')
  const failure =
    plan.failure === null
      ? null
      : gradleFailureOf(plan, plan.failure, failed?.task.path ?? null, random)
  const told = light ? fewOf(ran) : ran
  const repeatedIn = plan.flakyTest === null ? undefined : told.find(canBeFlaky)
  const flaky = repeatedIn === undefined ? [] : [flakyException(random)]
  const events: TimedEvent[] = []
  let operation = createEventId(random)
  for (const one of told) {
    const id = createEventId(random)
    events.push(startedEvent(one, id))
    if (one === failed || one === repeatedIn || (!light && canBeFlaky(one))) {
      const task = {
        id,
        begin: one.begin,
        end: one.end,
        failing: one === failed ? together(plan.failure?.test, failure?.ofTest) : null,
        flaky: one === repeatedIn ? together(plan.flakyTest, flaky[0]) : null,
      }
      if (one.task.kind === 'test') events.push(...testEvents(plan, task, random))
    }
    // Operations of the build cache are numbered one after the other, as recorded ones are: read as
    // JavaScript numbers, neighbours become the same.
    if (one.outcome === 'from_cache' && !light && chance(random, 0.3)) {
      events.push(...unpackEvents(one, id, operation++, random))
    }
    events.push(finishedEvent(one, id, random))
  }
  return { events, failure, flaky }
}

/** The part of the tasks that is told of when there is little room: those that matter most. */
function fewOf(ran: readonly RanTask[]): RanTask[] {
  return [
    ...ran.filter(({ outcome }) => outcome === 'success').slice(0, 3),
    ...ran.filter(({ outcome }) => outcome === 'failed'),
  ]
}

function canBeFlaky({ task, outcome }: RanTask): boolean {
  return task.kind === 'test' && outcome === 'success'
}

function together(
  test: TestCase | null | undefined,
  exception: ThrownException | null | undefined,
): TestTask['failing'] {
  return test && exception ? { test, failureId: exception.id } : null
}

function flakyException(random: Random): ThrownException {
  return thrown(
    random,
    'org.awaitility.core.ConditionTimeoutException',
    'Condition was not fulfilled within 10 seconds.',
    { frames: [['org.awaitility.core.ConditionAwaiter', 'await', 'ConditionAwaiter.java', 167]] },
  )
}

function startedEvent({ task, begin }: RanTask, id: bigint): TimedEvent {
  const { path, className } = task
  const noActions = task.kind === 'lifecycle'
  return timedEvent(begin, 'TaskStarted', 5, {
    id,
    buildPath: ':',
    path,
    className,
    thread: null,
    noActions,
  })
}

function finishedEvent({ task, outcome, end }: RanTask, id: bigint, random: Random): TimedEvent {
  const avoided =
    outcome === 'from_cache' || (outcome === 'up_to_date' && task.kind !== 'lifecycle')
  const undetermined = task.kind === 'lifecycle' || outcome === 'no_source' || outcome === 'skipped'
  const cacheable = isCacheable(task.kind) && !undetermined
  return timedEvent(end, 'TaskFinished', 6, {
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
  { begin, end }: RanTask,
  task: bigint,
  id: bigint,
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
