import { type GradleOptions, gradleOptionsOf } from './build-attributes.ts'
import {
  buildAgentEvent,
  customDataEvents,
  exceptionEvent,
  inOrderOfTime,
  machineEvents,
  memoryEvent,
  type StackFrame,
  testEvents,
  thrown,
  type ThrownException,
  type TimedEvent,
  timedEvent,
} from './build-events.ts'
import { type BuildPlan, packageOf } from './build-plan.ts'
import { isCacheable, type RanTask, runTasks } from './gradle-tasks.ts'
import {
  between,
  chance,
  createCacheKey,
  createEventId,
  createScopeId,
  type Random,
  whole,
} from './seeded-random.ts'

/**
 * The events of a Gradle build in the shapes of recorded streams
 * (docs/services.md#export-event-types), as JSON texts in order of time. DaemonState comes before
 * BuildStarted and memory comes after BuildFinished, as there. `light` leaves out most of the tasks
 * and tests.
 */
export function gradleEvents(plan: BuildPlan, light: boolean, random: Random): string[] {
  const { startTime, duration, failure, flakyTest } = plan
  const end = startTime + duration
  const options = gradleOptionsOf(plan)
  const configured = Math.round(
    startTime + Math.min(duration * between(random, 0.1, 0.3), between(random, 800, 9000)),
  )
  const executed = Math.round(end - Math.min(duration * 0.04, between(random, 20, 900)))
  const all = runTasks(plan, options, configured, executed, random)
  const failed = all.find(({ outcome }) => outcome === 'failed')
  const ran = light ? mostImportant(all) : all
  const root = failure === null ? undefined : buildFailure(plan, failed?.path, random)
  const ofTest = failed && failure?.cause === 'test' ? testFailure(plan, random) : undefined
  const repeatedIn = flakyTest === null ? undefined : ran.find(ranTests)
  const ofFlaky = repeatedIn && timeout(random)
  const exceptions = [root, ofTest, ofFlaky].filter((one) => one !== undefined)
  let operation = createEventId(random)
  const taskEvents = ran.flatMap((task): TimedEvent[] => {
    const { begin, end, outcome } = task
    const id = createEventId(random)
    const failing =
      task === failed && failure && ofTest ? { test: failure.test, failureId: ofTest.id } : null
    const flaky =
      task === repeatedIn && flakyTest && ofFlaky
        ? { test: flakyTest, failureId: ofFlaky.id }
        : null
    const tests = failing !== null || flaky !== null || (!light && ranTests(task))
    // Operations of the build cache are numbered one after the other, as recorded ones are: read as
    // JavaScript numbers, neighbors become the same.
    const unpacked = outcome === 'from_cache' && !light && chance(random, 0.3)
    return [
      startedEvent(task, id),
      ...(tests && task.kind === 'test'
        ? testEvents(plan, { id, begin, end, failing, flaky }, random)
        : []),
      ...(unpacked ? unpackEvents(task, id, operation++, random) : []),
      finishedEvent(task, id, random),
    ]
  })
  return inOrderOfTime([
    ...startEvents(plan, options, random),
    ...(failure?.early === true ? [] : structureEvents(plan, light, configured, random)),
    ...customDataEvents(plan, configured),
    ...taskEvents,
    buildAgentEvent(plan, end),
    ...(exceptions.length === 0 ? [] : [exceptionEvent(plan, end, exceptions, random)]),
    timedEvent(end, 'BuildFinished', 1, { failureId: root?.id ?? null, failure: null }),
    memoryEvent(plan, random, end),
  ])
}

function mostImportant(ran: readonly RanTask[]): RanTask[] {
  const some = ran.filter(({ outcome }) => outcome === 'success').slice(0, 3)
  return [...some, ...ran.filter(({ outcome }) => outcome === 'failed')]
}

function ranTests({ kind, outcome }: RanTask): boolean {
  return kind === 'test' && outcome === 'success'
}

function startEvents(plan: BuildPlan, options: GradleOptions, random: Random): TimedEvent[] {
  const { startTime: at, machine } = plan
  const { daemon, excluded } = options
  const [language, country] = machine.locale
  const daemonAge = daemon ? whole(random, 20_000, 14_000_000) : whole(random, 500, 3000)
  return [
    timedEvent(at, 'DaemonState', 1, {
      startTime: at - daemonAge,
      buildNumber: daemon ? 1 + Math.floor(daemonAge / 400_000) : 1,
      numberOfRunningDaemons: daemon ? whole(random, 1, 3) : 1,
      idleTimeout: 10_800_000,
      singleUse: !daemon,
    }),
    timedEvent(at, 'BuildStarted', 0, {}),
    timedEvent(at, 'BuildRequestedTasks', 0, { requested: plan.requested, excluded }),
    timedEvent(at, 'BuildModes', 1, {
      refreshDependencies: options.refreshDependencies,
      parallelProjectExecution: options.parallel,
      rerunTasks: false,
      continuous: false,
      continueOnFailure: options.continueOnFailure,
      configureOnDemand: false,
      daemon,
      offline: options.offline,
      dryRun: false,
      maxWorkers: options.maxWorkers,
      taskOutputCache: options.buildCache,
    }),
    ...machineEvents(plan),
    timedEvent(at, 'JvmArgs', 0, {
      effective: [
        '-XX:MaxMetaspaceSize=512m',
        '-XX:+HeapDumpOnOutOfMemoryError',
        '--add-opens=java.base/java.util=ALL-UNNAMED',
        `-Xmx${machine.maxHeap / 2 ** 20}m`,
        '-Dfile.encoding=UTF-8',
        `-Duser.country=${country}`,
        `-Duser.language=${language}`,
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
  { project, startTime, toolVersion, agentVersion }: BuildPlan,
  light: boolean,
  configured: number,
  random: Random,
): TimedEvent[] {
  const { includedBuild, modules } = project
  const loaded = Math.round(startTime + (configured - startTime) * 0.6)
  const plugins = [
    ['org.gradle.api.plugins.JavaPlugin', 'org.gradle.java', toolVersion],
    ['com.gradle.develocity.agent.gradle.DevelocityPlugin', 'com.gradle.develocity', agentVersion],
    ['com.diffplug.gradle.spotless.SpotlessPlugin', 'com.diffplug.spotless', '7.2.1'],
  ] as const
  return [
    ...(includedBuild === undefined
      ? []
      : [structureEvent(includedBuild, `:${includedBuild}`, `${includedBuild}/`, [], loaded)]),
    structureEvent(project.name, ':', '', modules, configured),
    ...(light ? [] : plugins).map(([pluginClassName, inferredId, inferredVersion], index) =>
      timedEvent(configured, 'PluginApplicationStarted', 0, {
        id: createEventId(random),
        targetType: index === 1 ? 'settings' : 'project',
        targetPath: index === 0 ? `:${modules[0] ?? ''}` : ':',
        buildPath: ':',
        pluginClassName,
        inferredVersion,
        inferredId,
        codeSourceType: index === 0 ? 'gradle_distribution' : 'binary',
      }),
    ),
  ]
}

function structureEvent(
  rootProjectName: string,
  buildPath: string,
  folder: string,
  modules: readonly string[],
  at: number,
): TimedEvent {
  const projects = ['', ...modules].map((module, index) => ({
    projectPath: `:${module}`,
    children: index === 0 ? modules.map((_, child) => child + 1) : [],
    projectDir: { root: 'workspace', path: module === '' ? folder.slice(0, -1) : folder + module },
    buildFile: {
      root: 'workspace',
      path: `${folder}${module === '' ? '' : `${module}/`}build.gradle.kts`,
    },
    buildFileExists: true,
    buildPath,
  }))
  return timedEvent(at, 'ProjectStructure', 2, { rootProjectName, projects })
}

function startedEvent({ path, className, kind, begin }: RanTask, id: bigint): TimedEvent {
  const noActions = kind === 'lifecycle'
  const data = { id, buildPath: ':', path, className, thread: null, noActions }
  return timedEvent(begin, 'TaskStarted', 5, data)
}

function finishedEvent(task: RanTask, id: bigint, random: Random): TimedEvent {
  const { kind, outcome, path, cost, end } = task
  const lifecycle = kind === 'lifecycle'
  const avoided = outcome === 'from_cache' || (outcome === 'up_to_date' && !lifecycle)
  const undetermined = lifecycle || outcome === 'no_source' || outcome === 'skipped'
  const cacheable = isCacheable(kind) && !undetermined
  const [category, explanation] = undetermined
    ? ['UNKNOWN', 'Cacheability was not determined']
    : ['NOT_ENABLED_FOR_TASK', 'Caching has not been enabled for the task']
  return timedEvent(end, 'TaskFinished', 6, {
    id,
    path,
    outcome,
    skipMessage: outcome === 'skipped' ? 'SKIPPED' : null,
    cacheable,
    cachingDisabledReasonCategory: cacheable ? null : category,
    cachingDisabledExplanation: cacheable ? null : explanation,
    originBuildInvocationId: avoided ? createScopeId(random) : null,
    originExecutionTime: avoided ? Math.round(cost * between(random, 40, 400)) : null,
    actionable: !lifecycle,
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
  const cacheKey = createCacheKey(random)
  const archiveSize = whole(random, 400, 900_000)
  const archiveEntryCount = whole(random, 2, 90)
  const finish = { id, archiveEntryCount, failureId: null, failure: null }
  return [
    timedEvent(begin, 'BuildCacheUnpackStarted', 0, { task, id, cacheKey, archiveSize }),
    timedEvent(end, 'BuildCacheUnpackFinished', 1, finish),
  ]
}

// What a failed build throws

/** The exception that BuildFinished names; `taskPath` is the task that failed, if one did. */
function buildFailure(
  plan: BuildPlan,
  taskPath: string | undefined,
  random: Random,
): ThrownException | undefined {
  const { failure, project } = plan
  if (failure === null) return undefined
  const { cause, early, line, module } = failure
  const unavailable = (): ThrownException =>
    thrown(
      random,
      'org.gradle.internal.resource.transport.http.HttpRequestException',
      "Could not GET 'https://artifacts.acme.example/maven/com/acme/bom/maven-metadata.xml'. Received status code 503 from server: Service Unavailable",
      { frames },
    )
  const causes = {
    test: [
      'org.gradle.api.tasks.VerificationException',
      `There were failing tests. See the report at: file:///workspace/${project.name}/${module}/build/reports/tests/test/index.html`,
    ],
    compile:
      project.language === 'kotlin'
        ? [
            'org.jetbrains.kotlin.gradle.tasks.CompilationErrorException',
            'Compilation error. See log for more details',
          ]
        : [
            'org.gradle.api.internal.tasks.compile.CompilationFailedException',
            `Compilation failed; see the compiler output below.\n${module}/src/main/java/${project.subjects[0] ?? 'Main'}.java:${line}: error: cannot find symbol`,
          ],
    lint: [
      'org.gradle.api.tasks.VerificationException',
      `${taskPath ?? 'Lint'} found ${1 + (line % 9)} violations. See the report for details.`,
    ],
    dependency: [
      'org.gradle.api.internal.artifacts.ivyservice.TypedResolveException',
      `Could not resolve all files for configuration ':${module}:compileClasspath'.`,
    ],
    configuration: [
      'org.gradle.api.GradleScriptException',
      `A problem occurred evaluating ${early ? `settings '${project.name}'` : `project ':${module}'`}.`,
    ],
  } as const
  const [className, message] = causes[cause]
  const below = cause === 'dependency' ? [unavailable()] : []
  const innermost = thrown(random, className, message, { causes: below, frames })
  const script = `${early ? 'settings' : 'build'}.gradle.kts`
  const located = cause === 'configuration'
  const ofTask =
    taskPath === undefined
      ? innermost
      : thrown(
          random,
          'org.gradle.api.tasks.TaskExecutionException',
          `Execution failed for task '${taskPath}'.`,
          { causes: [innermost], metadata: { taskPath }, frames },
        )
  return thrown(random, 'org.gradle.internal.exceptions.LocationAwareException', ofTask.message, {
    causes: [ofTask],
    metadata: {
      location: located ? `Script '${script}' line: ${line}` : null,
      lineNumber: located ? line : null,
      sourceDisplayName: located ? `script '${script}'` : null,
    },
    frames,
  })
}

function testFailure({ project, failure }: BuildPlan, random: Random): ThrownException | undefined {
  if (failure === null) return undefined
  const { test, line } = failure
  const extension = project.language === 'kotlin' ? 'kt' : 'java'
  const file = `${test.className.split('.').at(-1) ?? ''}.${extension}`
  return thrown(
    random,
    'org.opentest4j.AssertionFailedError',
    `expected: <${line}> but was: <${line + 1}>`,
    {
      frames: [
        ['org.junit.jupiter.api.AssertionUtils', 'fail', 'AssertionUtils.java', 38],
        [test.className, test.name.replace('()', ''), file, line],
        [`${packageOf(project)}.testing.Fixtures`, 'run', 'Fixtures.java', 27],
        ['java.lang.reflect.Method', 'invoke', 'Method.java', 580],
      ],
    },
  )
}

function timeout(random: Random): ThrownException {
  return thrown(
    random,
    'org.awaitility.core.ConditionTimeoutException',
    'Condition was not fulfilled within 10 seconds.',
    { frames: [['org.awaitility.core.ConditionAwaiter', 'await', 'ConditionAwaiter.java', 167]] },
  )
}

const execution = 'org.gradle.api.internal.tasks.execution'
const frames: readonly StackFrame[] = [
  [`${execution}.ExecuteActionsTaskExecuter`, 'execute', 'ExecuteActionsTaskExecuter.java', 130],
  ['org.gradle.execution.plan.LocalTaskNodeExecutor', 'execute', 'LocalTaskNodeExecutor.java', 42],
  ['org.gradle.execution.plan.DefaultPlanExecutor', 'run', 'DefaultPlanExecutor.java', 380],
  ['java.lang.Thread', 'run', 'Thread.java', 1583],
]
