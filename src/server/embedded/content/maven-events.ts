import { inOrderOfTime, type TimedEvent, timedEvent } from './build-event-text.ts'
import type { BuildPlan } from './build-plan.ts'
import { buildAgentEvent, customDataEvents, jvmEvents, memoryEvent } from './environment-events.ts'
import { exceptionEvent, type ThrownException } from './exception-events.ts'
import { createEventId, createScopeId } from './identifiers.ts'
import { mavenFailureOf } from './maven-failure.ts'
import { failingGoal, type Goal, goalsFor } from './maven-goals.ts'
import { between, chance, type Random } from './seeded-random.ts'

/**
 * The events of a Maven build in the shapes of recorded streams (research: section 3.2), as JSON
 * texts in order of time. Projects are built one after the other, and the first failure is the last.
 * `light` leaves out most of the goals.
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
  const execution = executionEvents(plan, modules, first, last, light, random)
  const failure = execution.failure
  return inOrderOfTime([
    timedEvent(at, 'MvnBuildStarted', 0, {}),
    ...jvmEvents('Mvn', plan),
    buildAgentEvent('Mvn', plan, at),
    timedEvent(at, 'MvnBuildRequestedGoals', 0, { goals: plan.requested }),
    timedEvent(at, 'MvnScopeIds', 0, { buildInvocationId: createScopeId(random) }),
    structureEvent(plan, modules),
    timedEvent(first, 'MvnExecutionStarted', 0, {}),
    ...customDataEvents('Mvn', plan, first),
    ...execution.events,
    timedEvent(last, 'MvnExecutionFinished', 0, {}),
    ...(failure === null ? [] : [exceptionEvent('Mvn', end, [failure], random)]),
    timedEvent(end, 'MvnBuildFinished', 0, {
      failed: failure !== null,
      failureIds: failure === null ? [] : [failure.id],
    }),
    memoryEvent('Mvn', plan, random, end),
  ])
}

interface MavenModule {
  readonly id: bigint
  readonly artifactId: string
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

function executionEvents(
  plan: BuildPlan,
  modules: readonly MavenModule[],
  first: number,
  last: number,
  light: boolean,
  random: Random,
): { readonly events: TimedEvent[]; readonly failure: ThrownException | null } {
  const runs = modules.flatMap((module, index) => {
    const touched = index === 0 || module.artifactId === plan.commit.module
    return goalsFor(plan.requested, index === 0).map((goal) => {
      const cached = !touched && goal.cacheable && plan.cache === 'warm' && chance(random, 0.7)
      return { module, goal, cached, cost: cached ? 0.3 : goal.cost * between(random, 0.5, 1.5) }
    })
  })
  const failing = failingGoal(plan, runs)
  const failed = failing === -1 ? undefined : runs[failing]
  const ran = failed === undefined ? runs : runs.slice(0, failing + 1)
  const failure =
    plan.failure === null
      ? null
      : mavenFailureOf(
          plan,
          plan.failure,
          failed?.goal ?? null,
          failed?.module.artifactId ?? plan.project.name,
          random,
        )
  // Before the first goal there is nothing to tell of: the project itself could not be read.
  if (failure !== null && failed === undefined) return { events: [], failure }

  const scale = (last - first) / ran.reduce((sum, { cost }) => sum + cost, 0)
  const events: TimedEvent[] = []
  let at = first
  for (const [index, { module, goal, cached, cost }] of ran.entries()) {
    const fails = failing === index
    const time = Math.round(at)
    const done = Math.round((at += cost * scale))
    const isFirst = ran[index - 1]?.module !== module
    const isLast = ran[index + 1]?.module !== module
    if (isFirst) events.push(timedEvent(time, 'MvnProjectStarted', 0, { id: module.id }))
    if (!light || fails || isFirst) {
      const id = createEventId(random)
      events.push(
        goalStarted(goal, id, module.id, time, random),
        goalFinished(goal, id, done, cached, fails ? (failure?.id ?? null) : null, random),
      )
    }
    if (isLast) {
      const failureId = fails ? (failure?.id ?? null) : null
      const outcome = fails ? 'failed' : 'success'
      events.push(timedEvent(done, 'MvnProjectFinished', 0, { id: module.id, outcome, failureId }))
    }
  }
  return { events, failure }
}

function goalStarted(
  goal: Goal,
  id: bigint,
  projectId: bigint,
  at: number,
  random: Random,
): TimedEvent {
  return timedEvent(at, 'MvnGoalExecutionStarted', 0, {
    id,
    name: goal.name,
    executionId: goal.executionId,
    projectId,
    mojoClassName: goal.mojoClassName,
    pluginId: createEventId(random),
    buildPhase: goal.phase,
  })
}

function goalFinished(
  goal: Goal,
  id: bigint,
  at: number,
  cached: boolean,
  failureId: bigint | null,
  random: Random,
): TimedEvent {
  const name = goal.name.split(':').at(-1) ?? goal.name
  return timedEvent(at, 'MvnGoalExecutionFinished', 0, {
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
