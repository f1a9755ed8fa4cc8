import { z } from 'zod'
import {
  customDataEvents,
  emitterOf,
  type Emit,
  exceptionEvent,
  machineEvents,
  memoryEvent,
  thrown,
  type ThrownException,
} from './build-events.ts'
import type { BuildPlan } from './build-plan.ts'
import type { BuildValues } from './build-values.ts'
import company from './company.json' with { type: 'json' }
import { table } from './company.ts'
import { between, chance, createEventId, createScopeId, type Random } from './seeded-random.ts'
import { inOrderOfTime, type TimedEvent } from './shapes.ts'

/**
 * The events of a Maven build in the shapes of recorded streams
 * (docs/services.md#export-event-types), as JSON texts in order of time. Projects are built one
 * after the other, and the first failure is the last. `light` leaves out most of the goals.
 */
export function mavenEvents(
  plan: BuildPlan,
  values: BuildValues,
  light: boolean,
  random: Random,
): string[] {
  const { startTime: at, duration, project } = plan
  const emit = emitterOf(plan, values)
  const end = at + duration
  const first = Math.round(at + Math.min(duration * 0.2, between(random, 300, 2500)))
  const last = Math.round(end - Math.min(duration * 0.04, 200))
  const modules = [project.name, ...project.modules].map((artifactId) => ({
    id: createEventId(random),
    artifactId,
  }))
  const ran = runGoals(plan, modules, first, last, random)
  const failed = ran.find((one) => one.failed)
  const failure = buildFailure(plan, values, failed, random)
  const projects = modules.map(({ id, artifactId }, index) => ({
    id,
    name: index === 0 ? null : artifactId,
    groupId: `com.acme.${project.name}`,
    artifactId,
    packaging: index === 0 ? 'pom' : 'jar',
    version: '1.0-SNAPSHOT',
    projectDir: { root: 'workspace', path: index === 0 ? '' : artifactId },
    pomVersion: '4.0.0',
    children: index === 0 ? project.modules.map((_, child) => child + 1) : [],
    excluded: false,
  }))
  return inOrderOfTime([
    emit('BuildStarted', at),
    ...machineEvents(plan, emit),
    emit('BuildAgent', at),
    emit('BuildRequestedGoals', at),
    emit('ScopeIds', at, { buildInvocationId: createScopeId(random) }),
    emit('ProjectStructure', at, { projects }),
    emit('ExecutionStarted', first),
    ...customDataEvents(values, first, emit),
    ...executionEvents(ran, failure, light, emit, random),
    emit('ExecutionFinished', last),
    ...(failure === undefined ? [] : [exceptionEvent(plan, end, [failure], emit, random)]),
    emit('BuildFinished', end, {
      failed: failure !== undefined,
      failureIds: failure === undefined ? [] : [failure.id],
    }),
    memoryEvent(plan, end, emit, random),
  ])
}

/**
 * A goal as the lifecycle binds it to a phase: its cost compared to other goals, and the causes
 * that make it fail. Only goals that may fail are cacheable.
 */
type Goal = z.infer<typeof Goal>
const Goal = z
  .tuple([z.string(), z.string(), z.string(), z.coerce.number(), z.string()])
  .transform(([name, mojo, phase, cost, fails]) => {
    const [plugin = '', short = ''] = name.split(':')
    const mojoClass = `org.apache.maven.plugins.${plugin}.${mojo}Mojo`
    return { name, short, mojo: mojoClass, phase, cost, fails: fails.split(' ').filter(Boolean) }
  })
const lifecycle = table(Goal, company.mavenGoals)
const phases = company.mavenPhases

/** The goals that one module runs for the requested phases; the parent of all has few. */
function goalsFor(requested: readonly string[], parent: boolean): Goal[] {
  const last = Math.max(...requested.map((phase) => phases.indexOf(phase)))
  return lifecycle.filter(({ phase, name }) => {
    if (phase === 'clean') return requested.includes('clean')
    return (
      phases.indexOf(phase) <= last && (!parent || /^(?:install|deploy|checkstyle):/.test(name))
    )
  })
}

interface MavenModule {
  readonly id: bigint
  readonly artifactId: string
}

/** A goal that ran; times in epoch ms, whole. */
interface RanGoal {
  readonly module: MavenModule
  readonly goal: Goal
  /** Its outputs came from the build cache. */
  readonly cached: boolean
  readonly failed: boolean
  readonly begin: number
  readonly end: number
}

/**
 * The goals of a build that ran between `from` and `to` (epoch ms), one after the other, module by
 * module, the first module being the parent of all. A failure is the last, and where the build
 * failed without a goal to blame none ran: its projects could not be read.
 */
function runGoals(
  plan: BuildPlan,
  modules: readonly MavenModule[],
  from: number,
  to: number,
  random: Random,
): RanGoal[] {
  const { failure, requested, commit, cache } = plan
  const planned = modules.flatMap((module, index) => {
    const touched = index === 0 || module.artifactId === commit.module
    return goalsFor(requested, index === 0).map((goal) => {
      const cacheable = goal.fails.length > 0
      const cached = !touched && cacheable && cache === 'warm' && chance(random, 0.7)
      return { module, goal, cached, cost: cached ? 0.3 : goal.cost * between(random, 0.5, 1.5) }
    })
  })
  const able = failure === null ? [] : planned.filter((o) => o.goal.fails.includes(failure.cause))
  const failing = able.find((o) => o.module.artifactId === failure?.module) ?? able[0]
  if (failure !== null && failing === undefined) return []
  const ran = failing === undefined ? planned : planned.slice(0, planned.indexOf(failing) + 1)
  const scale = (to - from) / ran.reduce((sum, { cost }) => sum + cost, 0)
  let at = from
  return ran.map((one) => {
    const begin = Math.round(at)
    at += one.cost * scale
    const failed = one === failing
    // What fails was not taken from the cache.
    return { ...one, cached: one.cached && !failed, failed, begin, end: Math.round(at) }
  })
}

/** Projects and their goals, and what the goal that failed threw. */
function executionEvents(
  ran: readonly RanGoal[],
  failure: ThrownException | undefined,
  light: boolean,
  emit: Emit,
  random: Random,
): TimedEvent[] {
  return ran.flatMap((one, index): TimedEvent[] => {
    const { module, failed, begin, end } = one
    const failureId = failed ? (failure?.id ?? null) : null
    const isFirst = ran[index - 1]?.module !== module
    const isLast = ran[index + 1]?.module !== module
    const outcome = failed ? 'failed' : 'success'
    return [
      ...(isFirst ? [emit('ProjectStarted', begin, { id: module.id })] : []),
      ...(!light || isFirst || failed ? goalEvents(one, failureId, emit, random) : []),
      ...(isLast ? [emit('ProjectFinished', end, { id: module.id, outcome, failureId })] : []),
    ]
  })
}

function goalEvents(
  { goal, module, cached, begin, end }: RanGoal,
  failureId: bigint | null,
  emit: Emit,
  random: Random,
): TimedEvent[] {
  const id = createEventId(random)
  const cacheable = goal.fails.length > 0
  const { name, short, mojo, phase } = goal
  const pluginId = createEventId(random)
  const started = { id, goal: name, short, projectId: module.id, mojo, pluginId, phase }
  return [
    emit('GoalExecutionStarted', begin, started),
    emit('GoalExecutionFinished', end, {
      id,
      originBuildInvocationId: cached ? createScopeId(random) : null,
      outcome: failureId !== null ? 'failed' : cached ? 'from_cache' : 'success',
      category: cacheable ? null : 'goal_not_supported',
      nonCacheableReason: cacheable
        ? null
        : `Build caching was not enabled for this goal execution because the '${short}' goal was not supported.`,
      failureId,
    }),
  ]
}

/** What a failed build throws; `failed` is the goal that failed, if one did. */
function buildFailure(
  { failure }: BuildPlan,
  values: BuildValues,
  failed: RanGoal | undefined,
  random: Random,
): ThrownException | undefined {
  if (failure === null) return undefined
  const { maven: exceptions } = company.exceptions
  const { maven: frames } = company.stackFrames
  const root = thrown(random, exceptions[failure.cause], values, { frames })
  if (failed === undefined) return root
  const { name, short } = failed.goal
  const { artifactId } = failed.module
  const ofGoal = { goal: name, short, artifactId, message: root.message }
  return thrown(random, exceptions.goal, ofGoal, { causes: [root], frames })
}
