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
import { type BuildPlan, packageOf, type TestCase, testsOf } from './build-plan.ts'
import type { BuildValues } from './build-values.ts'
import company from './company.json' with { type: 'json' }
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
import { fillText, inOrderOfTime, type TimedEvent } from './shapes.ts'

/**
 * The events of a Gradle build in the shapes of recorded streams
 * (docs/services.md#export-event-types), as JSON texts in order of time. DaemonState comes before
 * BuildStarted and memory comes after BuildFinished, as there. `light` leaves out most of the tasks
 * and tests.
 */
export function gradleEvents(
  plan: BuildPlan,
  values: BuildValues,
  light: boolean,
  random: Random,
): string[] {
  const { startTime, duration, failure, flakyTest } = plan
  const emit = emitterOf(plan, values)
  const end = startTime + duration
  const configured = Math.round(
    startTime + Math.min(duration * between(random, 0.1, 0.3), between(random, 800, 9000)),
  )
  const executed = Math.round(end - Math.min(duration * 0.04, between(random, 20, 900)))
  const all = runTasks(plan, values, configured, executed, random)
  const failed = all.find(({ outcome }) => outcome === 'failed')
  const ran = light ? mostImportant(all) : all
  const root = failure === null ? undefined : buildFailure(plan, values, failed?.path, random)
  const ofTest =
    failed && failure?.cause === 'test'
      ? thrown(random, exceptions.assertion, values, { frames: assertionFrames(plan, failure) })
      : undefined
  const repeatedIn =
    flakyTest === null
      ? undefined
      : (ran.find(
          (task) => ranTests(task) && isAmong(testsOf(plan.project, moduleOf(task)), flakyTest),
        ) ?? ran.find(ranTests))
  const ofFlaky =
    repeatedIn &&
    thrown(random, exceptions.timeout, values, { frames: company.stackFrames.timeout })
  const thrownOnes = [root, ofTest, ofFlaky].filter((one) => one !== undefined)
  let operation = createEventId(random)
  const taskEvents = ran.flatMap((task): TimedEvent[] => {
    const { begin, end, outcome, path, className } = task
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
      emit('TaskStarted', begin, { id, path, className, noActions: task.kind === 'lifecycle' }),
      ...(tests && task.kind === 'test'
        ? testEvents(plan, { id, module: moduleOf(task), begin, end, failing, flaky }, emit, random)
        : []),
      ...(unpacked ? unpackEvents(task, id, operation++, emit, random) : []),
      emit('TaskFinished', end, finishOf(task, id, random)),
    ]
  })
  return inOrderOfTime([
    ...startEvents(plan, values, emit, random),
    ...(failure?.early === true
      ? []
      : structureEvents(plan, values, light, configured, emit, random)),
    ...customDataEvents(values, configured, emit),
    ...taskEvents,
    emit('BuildAgent', end),
    ...(thrownOnes.length === 0 ? [] : [exceptionEvent(plan, end, thrownOnes, emit, random)]),
    emit('BuildFinished', end, { failureId: root?.id ?? null }),
    memoryEvent(plan, end, emit, random),
  ])
}

function mostImportant(ran: readonly RanTask[]): RanTask[] {
  const some = ran.filter(({ outcome }) => outcome === 'success').slice(0, 3)
  return [...some, ...ran.filter(({ outcome }) => outcome === 'failed')]
}

function ranTests({ kind, outcome }: RanTask): boolean {
  return kind === 'test' && outcome === 'success'
}

/** `:app:test` is of the module app. */
function moduleOf({ path }: RanTask): string {
  return path.split(':').at(-2) ?? ''
}

function isAmong(tests: readonly TestCase[], { className, name }: TestCase): boolean {
  return tests.some((other) => other.className === className && other.name === name)
}

function startEvents(
  plan: BuildPlan,
  values: BuildValues,
  emit: Emit,
  random: Random,
): TimedEvent[] {
  const { startTime: at } = plan
  const { daemon } = values
  const daemonAge = daemon ? whole(random, 20_000, 14_000_000) : whole(random, 500, 3000)
  return [
    emit('DaemonState', at, {
      daemonStart: at - daemonAge,
      buildNumber: daemon ? 1 + Math.floor(daemonAge / 400_000) : 1,
      daemons: daemon ? whole(random, 1, 3) : 1,
      singleUse: !daemon,
    }),
    emit('BuildStarted', at),
    emit('BuildRequestedTasks', at),
    emit('BuildModes', at),
    ...machineEvents(plan, emit),
    emit('JvmArgs', at),
    emit('ScopeIds', at, {
      buildInvocationId: createScopeId(random),
      workspaceId: createScopeId(random),
      userId: createScopeId(random),
    }),
  ]
}

/** What is known once the projects are: of an included build first, as it is configured first. */
function structureEvents(
  { project, startTime }: BuildPlan,
  values: BuildValues,
  light: boolean,
  configured: number,
  emit: Emit,
  random: Random,
): TimedEvent[] {
  const { includedBuild, modules } = project
  const loaded = Math.round(startTime + (configured - startTime) * 0.6)
  return [
    ...(includedBuild === undefined
      ? []
      : [
          emit('ProjectStructure', loaded, {
            rootProjectName: includedBuild,
            projects: projectsOf([], `:${includedBuild}`, `${includedBuild}/`),
          }),
        ]),
    emit('ProjectStructure', configured, {
      rootProjectName: project.name,
      projects: projectsOf(modules, ':', ''),
    }),
    ...(light ? [] : company.plugins).map((row) => {
      const [pluginClassName, inferredId, inferredVersion, targetType, targetPath, codeSourceType] =
        fillText(row, values).split(' | ')
      return emit('PluginApplicationStarted', configured, {
        id: createEventId(random),
        pluginClassName,
        inferredId,
        inferredVersion,
        targetType,
        targetPath,
        codeSourceType,
      })
    }),
  ]
}

/** A root project and its modules. */
function projectsOf(modules: readonly string[], buildPath: string, folder: string) {
  return ['', ...modules].map((module, index) => ({
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
}

function finishOf({ kind, outcome, path, begin, end }: RanTask, id: bigint, random: Random) {
  const lifecycle = kind === 'lifecycle'
  const avoided = outcome === 'from_cache' || (outcome === 'up_to_date' && !lifecycle)
  const undetermined = lifecycle || outcome === 'no_source' || outcome === 'skipped'
  const cacheable = isCacheable(kind) && !undetermined
  const [category, explanation] = undetermined
    ? ['UNKNOWN', 'Cacheability was not determined']
    : ['NOT_ENABLED_FOR_TASK', 'Caching has not been enabled for the task']
  return {
    id,
    path,
    outcome,
    skipMessage: outcome === 'skipped' ? 'SKIPPED' : null,
    cacheable,
    category: cacheable ? null : category,
    explanation: cacheable ? null : explanation,
    originBuildInvocationId: avoided ? createScopeId(random) : null,
    originExecutionTime: avoided ? Math.round((end - begin + 1) * between(random, 8, 40)) : null,
    actionable: !lifecycle,
    upToDateMessages: outcome === 'from_cache' ? ['No history is available.'] : [],
  }
}

function unpackEvents(
  { begin, end }: RanTask,
  task: bigint,
  id: bigint,
  emit: Emit,
  random: Random,
): TimedEvent[] {
  const cacheKey = createCacheKey(random)
  const archiveSize = whole(random, 400, 900_000)
  return [
    emit('BuildCacheUnpackStarted', begin, { task, id, cacheKey, archiveSize }),
    emit('BuildCacheUnpackFinished', end, { id, entries: whole(random, 2, 90) }),
  ]
}

// What a failed build throws

const { gradle: exceptions } = company.exceptions
const { gradle: frames } = company.stackFrames

/** The exception that BuildFinished names; `taskPath` is the task that failed, if one did. */
function buildFailure(
  { failure, project }: BuildPlan,
  ofBuild: BuildValues,
  taskPath: string | undefined,
  random: Random,
): ThrownException | undefined {
  if (failure === null) return undefined
  const { cause, early, line, module } = failure
  const evaluated = early ? `settings '${project.name}'` : `project ':${module}'`
  const values = { ...ofBuild, taskPath: taskPath ?? 'Lint', evaluated }
  const below =
    cause === 'dependency' ? [thrown(random, exceptions.unavailable, values, { frames })] : []
  const ofCause =
    exceptions[cause === 'compile' && project.language === 'kotlin' ? 'compileKotlin' : cause]
  const innermost = thrown(random, ofCause, values, { causes: below, frames })
  const ofTask =
    taskPath === undefined
      ? innermost
      : thrown(random, exceptions.task, values, {
          causes: [innermost],
          metadata: { taskPath },
          frames,
        })
  const script = `${early ? 'settings' : 'build'}.gradle.kts`
  const located = cause === 'configuration'
  return thrown(
    random,
    exceptions.located,
    { message: ofTask.message },
    {
      causes: [ofTask],
      metadata: {
        location: located ? `Script '${script}' line: ${line}` : null,
        lineNumber: located ? line : null,
        sourceDisplayName: located ? `script '${script}'` : null,
      },
      frames,
    },
  )
}

function assertionFrames(
  { project }: BuildPlan,
  { test, line }: NonNullable<BuildPlan['failure']>,
): string[] {
  const { className, name } = test
  const extension = project.language === 'kotlin' ? 'kt' : 'java'
  const values = {
    className,
    line,
    method: name.replace('()', ''),
    testFile: `${className.split('.').at(-1) ?? ''}.${extension}`,
    package: packageOf(project),
  }
  return company.stackFrames.assertion.map((frame) => fillText(frame, values))
}

// Tests

/** A test that fails, with the exception that it throws. */
interface FailingTest {
  readonly test: TestCase
  readonly failureId: bigint
}

/** How many times as long as the others the slow test of a module takes. */
const slowTest = 8

/** The test task whose tests are shown. */
export interface TestTask {
  readonly id: bigint
  readonly module: string
  /** Epoch ms. */
  readonly begin: number
  readonly end: number
  readonly failing: FailingTest | null
  /** It passes when it is repeated. */
  readonly flaky: FailingTest | null
}

/**
 * The events of the tests of one task: an executor, its classes, their cases, each started and
 * finished. There is no outcome for flaky: the same case is seen to fail and then to pass.
 */
export function testEvents(
  plan: BuildPlan,
  task: TestTask,
  emit: Emit,
  random: Random,
): TimedEvent[] {
  const { failing, flaky } = task
  const cases: (TestCase & { readonly failureId: bigint | null })[] = []
  if (failing !== null) cases.push({ ...failing.test, failureId: failing.failureId })
  if (flaky !== null) {
    cases.push({ ...flaky.test, failureId: flaky.failureId }, { ...flaky.test, failureId: null })
  }
  const usual = testsOf(plan.project, task.module)
  for (const test of usual) if (!isAmong(cases, test)) cases.push({ ...test, failureId: null })
  // One test of each module takes most of the time, and each a little longer or shorter than before.
  const costs = cases.map(
    ({ name }) => (name === usual[0]?.name ? slowTest : 1) * between(random, 0.8, 1.2),
  )
  const step = (task.end - task.begin) / (costs.reduce((sum, cost) => sum + cost, 0) + 1)
  const events: TimedEvent[] = []
  let at = task.begin + step / 2
  const started = (
    parent: bigint | null,
    name: string,
    className: string | null,
    suite: boolean,
  ): bigint => {
    const id = createEventId(random)
    const values = { task: task.id, id, parent, name, className, suite }
    events.push(emit('TestStarted', Math.round(at), values))
    return id
  }
  const finished = (id: bigint, failed: boolean, failureId: bigint | null): void => {
    events.push(emit('TestFinished', Math.round(at), { task: task.id, id, failed, failureId }))
  }

  const executor = started(null, `Gradle Test Executor ${whole(random, 1, 40)}`, null, true)
  for (const className of new Set(cases.map((one) => one.className))) {
    const suite = started(executor, className, className, true)
    for (const [index, { name, failureId, className: own }] of cases.entries()) {
      if (own !== className) continue
      const id = started(suite, name, className, false)
      at += step * (costs[index] ?? 1)
      finished(id, failureId !== null, failureId)
    }
    finished(suite, className === failing?.test.className, null)
  }
  finished(executor, failing !== null, null)
  return events
}
