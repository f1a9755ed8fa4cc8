import { inOrderOfTime, type TimedEvent, timedEvent } from './build-event-text.ts'
import type { BuildPlan } from './build-plan.ts'
import { buildAgentEvent, customDataEvents, jvmEvents, memoryEvent } from './environment-events.ts'
import { exceptionEvent } from './exception-events.ts'
import { type GradleOptions, gradleOptionsOf } from './gradle-options.ts'
import { taskEvents } from './gradle-task-events.ts'
import { createEventId, createScopeId } from './identifiers.ts'
import { between, type Random, whole } from './seeded-random.ts'

/**
 * The events of a Gradle build in the shapes of recorded streams
 * (docs/services.md#export-event-types), as JSON texts in order of time. DaemonState comes before
 * BuildStarted and memory comes after BuildFinished, as there. `light` leaves out most of the tasks
 * and tests.
 */
export function gradleEvents(plan: BuildPlan, light: boolean, random: Random): string[] {
  const { startTime, duration, failure } = plan
  const end = startTime + duration
  const options = gradleOptionsOf(plan)
  const configured = Math.round(
    startTime + Math.min(duration * between(random, 0.1, 0.3), between(random, 800, 9000)),
  )
  const executed = Math.round(end - Math.min(duration * 0.04, between(random, 20, 900)))
  const tasks = taskEvents(plan, configured, executed, light, random)
  const thrown = [
    ...(tasks.failure === null ? [] : [tasks.failure.root]),
    ...(tasks.failure?.ofTest ? [tasks.failure.ofTest] : []),
    ...tasks.flaky,
  ]
  return inOrderOfTime([
    ...startEvents(plan, options, random),
    ...(failure?.early === true ? [] : structureEvents(plan, light, configured, random)),
    ...customDataEvents('', plan, configured),
    ...tasks.events,
    buildAgentEvent('', plan, end),
    ...(thrown.length === 0 ? [] : [exceptionEvent('', end, thrown, random)]),
    timedEvent(end, 'BuildFinished', 1, {
      failureId: tasks.failure?.root.id ?? null,
      failure: null,
    }),
    memoryEvent('', plan, random, end),
  ])
}

function startEvents(plan: BuildPlan, options: GradleOptions, random: Random): TimedEvent[] {
  const { startTime: at, machine } = plan
  const daemonAge = options.daemon ? whole(random, 20_000, 14_000_000) : whole(random, 500, 3000)
  return [
    timedEvent(at, 'DaemonState', 1, {
      startTime: at - daemonAge,
      buildNumber: options.daemon ? 1 + Math.floor(daemonAge / 400_000) : 1,
      numberOfRunningDaemons: options.daemon ? whole(random, 1, 3) : 1,
      idleTimeout: 10_800_000,
      singleUse: !options.daemon,
    }),
    timedEvent(at, 'BuildStarted', 0, {}),
    timedEvent(at, 'BuildRequestedTasks', 0, {
      requested: plan.requested,
      excluded: options.excluded,
    }),
    timedEvent(at, 'BuildModes', 1, {
      refreshDependencies: options.refreshDependencies,
      parallelProjectExecution: options.parallel,
      rerunTasks: false,
      continuous: false,
      continueOnFailure: options.continueOnFailure,
      configureOnDemand: false,
      daemon: options.daemon,
      offline: options.offline,
      dryRun: false,
      maxWorkers: options.maxWorkers,
      taskOutputCache: options.buildCache,
    }),
    ...jvmEvents('', plan),
    timedEvent(at, 'JvmArgs', 0, {
      effective: [
        '-XX:MaxMetaspaceSize=512m',
        '-XX:+HeapDumpOnOutOfMemoryError',
        '--add-opens=java.base/java.util=ALL-UNNAMED',
        `-Xmx${machine.maxHeap / 2 ** 20}m`,
        '-Dfile.encoding=UTF-8',
        `-Duser.country=${machine.locale.country}`,
        `-Duser.language=${machine.locale.language}`,
      ],
    }),
    timedEvent(at, 'ScopeIds', 0, {
      buildInvocationId: createScopeId(random),
      workspaceId: createScopeId(random),
      userId: createScopeId(random),
    }),
  ]
}

/** What is known once the projects are: of an included build first, as it is configured first. */
function structureEvents(
  plan: BuildPlan,
  light: boolean,
  configured: number,
  random: Random,
): TimedEvent[] {
  const { project, startTime } = plan
  const loaded = Math.round(startTime + (configured - startTime) * 0.6)
  const included = project.includedBuild
  const own = [
    structureEvent(project.name, ':', '', project.modules, configured),
    ...(light ? [] : pluginEvents(plan, ':', configured, random)),
  ]
  if (included === undefined) return own
  return [structureEvent(included, `:${included}`, `${included}/`, [], loaded), ...own]
}

function structureEvent(
  name: string,
  buildPath: string,
  folder: string,
  modules: readonly string[],
  at: number,
): TimedEvent {
  const script = 'build.gradle.kts'
  const workspace = (path: string): { root: string; path: string } => ({ root: 'workspace', path })
  return timedEvent(at, 'ProjectStructure', 2, {
    rootProjectName: name,
    projects: [
      {
        projectPath: ':',
        children: modules.map((_, index) => index + 1),
        projectDir: workspace(folder.slice(0, -1)),
        buildFile: workspace(`${folder}${script}`),
        buildFileExists: true,
        buildPath,
      },
      ...modules.map((module) => ({
        projectPath: `:${module}`,
        children: [],
        projectDir: workspace(`${folder}${module}`),
        buildFile: workspace(`${folder}${module}/${script}`),
        buildFileExists: true,
        buildPath,
      })),
    ],
  })
}

function pluginEvents(
  plan: BuildPlan,
  buildPath: string,
  at: number,
  random: Random,
): TimedEvent[] {
  const { project, toolVersion } = plan
  const plugins = [
    ['org.gradle.api.plugins.JavaPlugin', 'org.gradle.java', toolVersion, 'gradle_distribution'],
    [
      'com.gradle.develocity.agent.gradle.DevelocityPlugin',
      'com.gradle.develocity',
      plan.agentVersion,
      'binary',
    ],
    ['com.diffplug.gradle.spotless.SpotlessPlugin', 'com.diffplug.spotless', '7.2.1', 'binary'],
  ] as const
  return plugins.map(([pluginClassName, inferredId, inferredVersion, codeSourceType], index) =>
    timedEvent(at, 'PluginApplicationStarted', 0, {
      id: createEventId(random),
      targetType: index === 1 ? 'settings' : 'project',
      targetPath: index === 0 ? `:${project.modules[0] ?? ''}` : ':',
      buildPath,
      pluginClassName,
      inferredVersion,
      inferredId,
      codeSourceType,
    }),
  )
}
