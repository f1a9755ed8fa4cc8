import { inOrderOfTime, type TimedEvent, timedEvent } from './build-event-text.ts'
import type { BuildPlan } from './build-plan.ts'
import { buildAgentEvent, customDataEvents, jvmEvents, memoryEvent } from './environment-events.ts'
import { exceptionEvent, type ThrownException } from './exception-events.ts'
import { createEventId, createScopeId } from './identifiers.ts'
import { mavenFailureOf } from './maven-failure.ts'
import { type MavenModule, type RanGoal, runGoals } from './maven-run.ts'
import { between, type Random } from './seeded-random.ts'

/**
 * The events of a Maven build in the shapes of recorded streams
 * (docs/services.md#export-event-types), as JSON texts in order of time. Projects are built one
 * after the other, and the first failure is the last. `light` leaves out most of the goals.
 */
export function mavenEvents(plan: BuildPlan, light: boolean, random: Random): string[] {
  const { startTime: at, duration } = plan
  const end = at + duration
  const first = Math.round(at + Math.min(duration * 0.2, between(random, 300, 2500)))
  const last = Math.round(end - Math.min(duration * 0.04, 200))
  const modules = [plan.project.name, ...plan.project.modules].map((artifactId) => ({
    id: createEventId(random),
    artifactId,
  }))
  const ran = runGoals(plan, modules, first, last, random)
  const failure =
    plan.failure === null
      ? null
      : mavenFailureOf(plan, plan.failure, ran.find(({ failed }) => failed) ?? null, random)
  return inOrderOfTime([
    timedEvent(at, 'MvnBuildStarted', 0, {}),
    ...jvmEvents('Mvn', plan),
    buildAgentEvent('Mvn', plan, at),
    timedEvent(at, 'MvnBuildRequestedGoals', 0, { goals: plan.requested }),
    timedEvent(at, 'MvnScopeIds', 0, { buildInvocationId: createScopeId(random) }),
    structureEvent(plan, modules),
    timedEvent(first, 'MvnExecutionStarted', 0, {}),
    ...customDataEvents('Mvn', plan, first),
    ...executionEvents(ran, failure, light, random),
    timedEvent(last, 'MvnExecutionFinished', 0, {}),
    ...(failure === null ? [] : [exceptionEvent('Mvn', end, [failure], random)]),
    timedEvent(end, 'MvnBuildFinished', 0, {
      failed: failure !== null,
      failureIds: failure === null ? [] : [failure.id],
    }),
    memoryEvent('Mvn', plan, random, end),
  ])
}

function structureEvent(plan: BuildPlan, modules: readonly MavenModule[]): TimedEvent {
  return timedEvent(plan.startTime, 'MvnProjectStructure', 0, {
    projects: modules.map(({ id, artifactId }, index) => ({
      id,
      name: index === 0 ? null : artifactId,
      groupId: `com.acme.${plan.project.name}`,
      artifactId,
      packaging: index === 0 ? 'pom' : 'jar',
      version: '1.0-SNAPSHOT',
      projectDir: { root: 'workspace', path: index === 0 ? '' : artifactId },
      pomVersion: '4.0.0',
      children: index === 0 ? plan.project.modules.map((_, child) => child + 1) : [],
      excluded: false,
    })),
  })
}

/** Projects and their goals, and what the goal that failed threw. */
function executionEvents(
  ran: readonly RanGoal[],
  failure: ThrownException | null,
  light: boolean,
  random: Random,
): TimedEvent[] {
  return ran.flatMap((one, index): TimedEvent[] => {
    const { module, begin, end } = one
    const failureId = one.failed ? (failure?.id ?? null) : null
    const isFirst = ran[index - 1]?.module !== module
    const isLast = ran[index + 1]?.module !== module
    const outcome = one.failed ? 'failed' : 'success'
    const id = createEventId(random)
    return [
      ...(isFirst ? [timedEvent(begin, 'MvnProjectStarted', 0, { id: module.id })] : []),
      ...(!light || isFirst || one.failed
        ? [goalStarted(one, id, random), goalFinished(one, id, failureId, random)]
        : []),
      ...(isLast
        ? [timedEvent(end, 'MvnProjectFinished', 0, { id: module.id, outcome, failureId })]
        : []),
    ]
  })
}

function goalStarted({ goal, module, begin }: RanGoal, id: bigint, random: Random): TimedEvent {
  return timedEvent(begin, 'MvnGoalExecutionStarted', 0, {
    id,
    name: goal.name,
    executionId: goal.executionId,
    projectId: module.id,
    mojoClassName: goal.mojoClassName,
    pluginId: createEventId(random),
    buildPhase: goal.phase,
  })
}

function goalFinished(
  { goal, cached, end }: RanGoal,
  id: bigint,
  failureId: bigint | null,
  random: Random,
): TimedEvent {
  const name = goal.name.split(':').at(-1) ?? goal.name
  return timedEvent(end, 'MvnGoalExecutionFinished', 0, {
    id,
    originBuildInvocationId: cached ? createScopeId(random) : null,
    outcome: failureId !== null ? 'failed' : cached ? 'from_cache' : 'success',
    cachingDisabledReasonCategory: goal.cacheable ? null : 'goal_not_supported',
    nonCacheableReason: goal.cacheable
      ? null
      : `Build caching was not enabled for this goal execution because the '${name}' goal was not supported.`,
    failureId,
  })
}
