import {
  buildAgentEvent,
  customDataEvents,
  exceptionEvent,
  inOrderOfTime,
  machineEvents,
  memoryEvent,
  type StackFrame,
  thrown,
  type ThrownException,
  type TimedEvent,
  timedEvent,
} from './build-events.ts'
import type { BuildPlan } from './build-plan.ts'
import type { Cause } from './company.ts'
import { between, chance, createEventId, createScopeId, type Random } from './seeded-random.ts'

/**
 * The events of a Maven build in the shapes of recorded streams
 * (docs/services.md#export-event-types), as JSON texts in order of time. Projects are built one
 * after the other, and the first failure is the last. `light` leaves out most of the goals.
 */
export function mavenEvents(plan: BuildPlan, light: boolean, random: Random): string[] {
  const { startTime: at, duration, project, requested } = plan
  const end = at + duration
  const first = Math.round(at + Math.min(duration * 0.2, between(random, 300, 2500)))
  const last = Math.round(end - Math.min(duration * 0.04, 200))
  const modules = [project.name, ...project.modules].map((artifactId) => ({
    id: createEventId(random),
    artifactId,
  }))
  const ran = runGoals(plan, modules, first, last, random)
  const failure = buildFailure(
    plan,
    ran.find(({ failed }) => failed),
    random,
  )
  return inOrderOfTime([
    timedEvent(at, 'MvnBuildStarted', 0, {}),
    ...machineEvents(plan),
    buildAgentEvent(plan, at),
    timedEvent(at, 'MvnBuildRequestedGoals', 0, { goals: requested }),
    timedEvent(at, 'MvnScopeIds', 0, { buildInvocationId: createScopeId(random) }),
    timedEvent(at, 'MvnProjectStructure', 0, {
      projects: modules.map(({ id, artifactId }, index) => ({
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
      })),
    }),
    timedEvent(first, 'MvnExecutionStarted', 0, {}),
    ...customDataEvents(plan, first),
    ...executionEvents(ran, failure, light, random),
    timedEvent(last, 'MvnExecutionFinished', 0, {}),
    ...(failure === undefined ? [] : [exceptionEvent(plan, end, [failure], random)]),
    timedEvent(end, 'MvnBuildFinished', 0, {
      failed: failure !== undefined,
      failureIds: failure === undefined ? [] : [failure.id],
    }),
    memoryEvent(plan, random, end),
  ])
}

/** A goal as the lifecycle binds it to a phase; only goals that may fail are cacheable. */
interface Goal {
  readonly name: string
  readonly executionId: string
  readonly mojo: string
  readonly phase: string
  /** How much work it is, compared to other goals. */
  readonly cost: number
  /** What makes it fail. */
  readonly fails: readonly Cause[]
}

const phases = `clean validate process-resources compile process-test-resources test-compile test
  package integration-test verify install deploy`.split(/\s+/)

const lifecycle: readonly Goal[] = [
  goal('clean:clean', 'Clean', 'clean', 0.2),
  goal('checkstyle:check', 'CheckstyleViolationCheck', 'validate', 2, 'lint'),
  goal('resources:resources', 'Resources', 'process-resources', 0.4),
  goal('compiler:compile', 'Compiler', 'compile', 12, 'compile', 'dependency'),
  goal('resources:testResources', 'TestResources', 'process-test-resources', 0.2),
  goal('compiler:testCompile', 'TestCompiler', 'test-compile', 8, 'compile'),
  goal('surefire:test', 'Surefire', 'test', 45, 'test'),
  goal('jar:jar', 'Jar', 'package', 1),
  goal('failsafe:integration-test', 'IntegrationTest', 'integration-test', 70, 'test'),
  goal('install:install', 'Install', 'install', 0.4),
  goal('deploy:deploy', 'Deploy', 'deploy', 5),
]

function goal(name: string, mojo: string, phase: string, cost: number, ...fails: Cause[]): Goal {
  const [plugin = '', short = ''] = name.split(':')
  const mojoClass = `org.apache.maven.plugins.${plugin}.${mojo}Mojo`
  return { name, executionId: `default-${short}`, mojo: mojoClass, phase, cost, fails }
}

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
  random: Random,
): TimedEvent[] {
  return ran.flatMap((one, index): TimedEvent[] => {
    const { module, failed, begin, end } = one
    const failureId = failed ? (failure?.id ?? null) : null
    const isFirst = ran[index - 1]?.module !== module
    const isLast = ran[index + 1]?.module !== module
    const finish = { id: module.id, outcome: failed ? 'failed' : 'success', failureId }
    return [
      ...(isFirst ? [timedEvent(begin, 'MvnProjectStarted', 0, { id: module.id })] : []),
      ...(!light || isFirst || failed ? goalEvents(one, failureId, random) : []),
      ...(isLast ? [timedEvent(end, 'MvnProjectFinished', 0, finish)] : []),
    ]
  })
}

function goalEvents(
  { goal, module, cached, begin, end }: RanGoal,
  failureId: bigint | null,
  random: Random,
): TimedEvent[] {
  const id = createEventId(random)
  const cacheable = goal.fails.length > 0
  const short = goal.name.split(':').at(-1) ?? goal.name
  return [
    timedEvent(begin, 'MvnGoalExecutionStarted', 0, {
      id,
      name: goal.name,
      executionId: goal.executionId,
      projectId: module.id,
      mojoClassName: goal.mojo,
      pluginId: createEventId(random),
      buildPhase: goal.phase,
    }),
    timedEvent(end, 'MvnGoalExecutionFinished', 0, {
      id,
      originBuildInvocationId: cached ? createScopeId(random) : null,
      outcome: failureId !== null ? 'failed' : cached ? 'from_cache' : 'success',
      cachingDisabledReasonCategory: cacheable ? null : 'goal_not_supported',
      nonCacheableReason: cacheable
        ? null
        : `Build caching was not enabled for this goal execution because the '${short}' goal was not supported.`,
      failureId,
    }),
  ]
}

/** What a failed build throws; `failed` is the goal that failed, if one did. */
function buildFailure(
  { failure, project }: BuildPlan,
  failed: RanGoal | undefined,
  random: Random,
): ThrownException | undefined {
  if (failure === null) return undefined
  const { cause, test, line, module } = failure
  const coordinates = `com.acme.${project.name}:${module}`
  const [className, message] = {
    test: [
      'plugin.MojoFailureException',
      `There are test failures. ${test.className}.${test.name}:${line} expected: <${line}> but was: <${line + 1}>`,
    ],
    compile: [
      'plugin.compiler.CompilationFailureException',
      `Compilation failure\n${module}/src/main/java/${project.subjects[0] ?? 'Main'}.java:[${line},9] cannot find symbol\n`,
    ],
    lint: ['plugin.MojoFailureException', `You have ${1 + (line % 9)} Checkstyle violations.`],
    dependency: [
      'lifecycle.LifecycleExecutionException',
      `Could not resolve dependencies for project ${coordinates}: Could not transfer artifact com.acme:bom:pom:2.4 from/to acme (https://artifacts.acme.example/maven): status code: 503`,
    ],
    configuration: [
      'model.building.ModelBuildingException',
      `1 problem was encountered while building the effective model for ${coordinates}: 'dependencies.dependency.version' is missing. @ line ${line}, column 17`,
    ],
  }[cause] satisfies string[]
  const root = thrown(random, `org.apache.maven.${className ?? ''}`, message ?? '', { frames })
  if (failed === undefined) return root
  const { goal, module: at } = failed
  return thrown(
    random,
    'org.apache.maven.lifecycle.LifecycleExecutionException',
    `Failed to execute goal ${goal.name} (${goal.executionId}) on project ${at.artifactId}: ${root.message}`,
    { causes: [root], frames },
  )
}

const frames: readonly StackFrame[] = [
  ['org.apache.maven.lifecycle.internal.MojoExecutor', 'execute', 'MojoExecutor.java', 333],
  ['org.apache.maven.DefaultMaven', 'execute', 'DefaultMaven.java', 294],
  ['org.apache.maven.cli.MavenCli', 'main', 'MavenCli.java', 206],
  ['java.lang.reflect.Method', 'invoke', 'Method.java', 580],
]
