import type { ToolWithAttributes } from '../../../protocol/build-data.ts'
import { customDataOf, exitCodeOf, jvmNames } from './build-attributes.ts'
import { type BuildPlan, type TestCase, testCase } from './build-plan.ts'
import { between, createEventId, type Random, whole } from './seeded-random.ts'

/** A JSON value whose integers may be of 64 bits; members that are undefined are left out. */
export type ExactJson =
  | null
  | boolean
  | number
  | string
  | bigint
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson | undefined }

/**
 * The JSON text of a value, with every bigint as its exact digits, which JSON.stringify cannot
 * write. The counterpart of protocol/exact-json.ts.
 */
export function exactJsonText(value: ExactJson): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(exactJsonText).join(',')}]`
  const members: string[] = []
  // Not Object.entries: making a build spends about half of its time in this function.
  for (const key in value) {
    const member = value[key]
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${exactJsonText(member)}`)
  }
  // Joined, not added up: a text of many parts that were added keeps all of them in memory.
  return `{${members.join(',')}}`
}

// Array.isArray does not narrow readonly arrays out of a union.
function isList(value: object): value is readonly ExactJson[] {
  return Array.isArray(value)
}

/** An event with the moment it happened (epoch ms, whole), by which a stream is ordered. */
export interface TimedEvent {
  readonly at: number
  readonly text: string
}

/** An event as its JSON text (docs/services.md#export-event-message). */
export function timedEvent(
  at: number,
  eventType: string,
  minorVersion: number,
  data: Readonly<Record<string, ExactJson | undefined>>,
): TimedEvent {
  const type = { majorVersion: 1, minorVersion, eventType }
  return { at, text: exactJsonText({ timestamp: at, type, data }) }
}

/** The texts in order of time; what happened at the same moment stays in the given order. */
export function inOrderOfTime(events: readonly TimedEvent[]): string[] {
  return events.toSorted((one, other) => one.at - other.at).map(({ text }) => text)
}

// What all tools have

const prefixes = {
  gradle: '',
  maven: 'Mvn',
  bazel: 'Bazel',
  sbt: 'Sbt',
  npm: 'Npm',
  python: 'Python',
} as const satisfies Record<ToolWithAttributes, string>

/** Hardware, operating system and, for tools that run on one, the JVM. */
export function machineEvents({ project, machine, startTime: at }: BuildPlan): TimedEvent[] {
  const prefix = prefixes[project.tool]
  const { jvm, cores, os } = machine
  const [localeLanguage, localeCountry, , timeZoneId, offsetHours] = machine.locale
  const { charset, ...names } = jvmNames
  const plain = [
    timedEvent(at, `${prefix}Hardware`, 0, { numProcessors: cores }),
    timedEvent(at, `${prefix}Os`, 0, { ...os }),
  ]
  if (prefix === 'Bazel' || prefix === 'Npm' || prefix === 'Python') return plain
  return [
    ...plain,
    timedEvent(at, `${prefix}Jvm`, 0, {
      version: jvm.runtime.replace(/\+.*/, ''),
      vendor: jvm.vendor,
      runtimeVersion: jvm.runtime,
      classVersion: jvm.classes,
      vmVersion: jvm.runtime,
      vmVendor: jvm.vendor,
      ...names,
    }),
    timedEvent(at, `${prefix}Locality`, 0, {
      localeLanguage,
      localeCountry,
      localeVariant: '',
      timeZoneId,
      timeZoneOffsetMillis: offsetHours * 3_600_000,
    }),
    timedEvent(at, `${prefix}Encoding`, 0, { defaultCharset: charset }),
  ]
}

/** Who ran the build on which machine. */
export function buildAgentEvent({ project, username, machine }: BuildPlan, at: number): TimedEvent {
  const { localHostname, publicHostname, ipAddresses } = machine
  const data = { username, localHostname, publicHostname, ipAddresses }
  return timedEvent(at, `${prefixes[project.tool]}BuildAgent`, 0, data)
}

/** Tags, values and links, one event each. */
export function customDataEvents(plan: BuildPlan, at: number): TimedEvent[] {
  const prefix = prefixes[plan.project.tool]
  const { tags, values, links } = customDataOf(plan)
  return [
    ...tags.map((tag) => timedEvent(at, `${prefix}UserTag`, 0, { tag })),
    ...values.map(({ name, value }) =>
      timedEvent(at, `${prefix}UserNamedValue`, 0, { key: name, value }),
    ),
    ...links.map((link) => timedEvent(at, `${prefix}UserLink`, 0, { ...link })),
  ]
}

/** How much memory the JVM took at most, in bytes; comes after the build's end. */
export function memoryEvent(plan: BuildPlan, random: Random, at: number): TimedEvent {
  const gradle = plan.project.tool === 'gradle'
  const max = plan.machine.maxHeap
  const used = Math.floor(max * between(random, 0.15, 0.8))
  const total = Math.min(max, Math.floor(used * 1.3))
  const pools = [
    ['Metaspace', 0.12],
    ['G1 Eden Space', 0.45],
    ['G1 Old Gen', 0.4],
    ['G1 Survivor Space', 0.03],
  ] as const
  return timedEvent(at, `${prefixes[plan.project.tool]}BasicMemoryStats`, gradle ? 1 : 0, {
    ...(gradle && { free: total - used, total }),
    max,
    peakSnapshots: pools.map(([name, share]) => ({
      name,
      heap: name !== 'Metaspace',
      init: 2555904,
      used: Math.floor(used * share),
      committed: Math.floor(total * share),
      max: name === 'G1 Old Gen' ? max : -1,
    })),
    gcTime: Math.floor(plan.duration * between(random, 0.002, 0.03)),
  })
}

/**
 * A small set of events for Bazel, sbt, npm and Python builds, as JSON texts in order of time. The
 * real names and shapes are not public: these are made up after Maven's (`NpmBuildStarted` after
 * `MvnBuildStarted`), so that readers have something to show and to skip.
 */
export function plainToolEvents(plan: BuildPlan): string[] {
  const { startTime: at, project, failure, requested } = plan
  const prefix = prefixes[project.tool]
  const end = at + plan.duration
  return inOrderOfTime([
    timedEvent(at, `${prefix}BuildStarted`, 0, {}),
    ...machineEvents(plan),
    buildAgentEvent(plan, at),
    timedEvent(at, `${prefix}BuildRequested`, 0, {
      ...(project.tool === 'bazel'
        ? { command: requested[0], requested: requested.slice(1) }
        : { requested }),
    }),
    timedEvent(at, `${prefix}ProjectStructure`, 0, {
      projectName: project.name,
      toolVersion: plan.toolVersion,
      projects: project.modules.map((name) => ({ name })),
    }),
    ...customDataEvents(plan, at),
    timedEvent(end, `${prefix}BuildFinished`, 0, {
      failed: failure !== null,
      exitCode: exitCodeOf(plan),
      message: failure === null ? null : plainMessage(failure),
    }),
  ])
}

function plainMessage({ cause, test, line, module }: NonNullable<BuildPlan['failure']>): string {
  return {
    test: `${test.className} > ${test.name} failed: expected ${line}, received ${line + 1}`,
    compile: `${module}: 1 error on line ${line}`,
    lint: `${module}: ${1 + (line % 9)} problems`,
    dependency: 'https://artifacts.acme.example answered 503 Service Unavailable',
    configuration: `${module}: the configuration could not be read, line ${line}`,
  }[cause]
}

// Exceptions

/** An exception, which is written together with its causes. */
export interface ThrownException {
  readonly id: bigint
  readonly className: string
  readonly message: string
  readonly causes: readonly ThrownException[]
  readonly metadata: Readonly<Record<string, ExactJson>>
  readonly frames: readonly StackFrame[]
}

export type StackFrame = readonly [
  declaringClass: string,
  methodName: string,
  fileName: string,
  lineNumber: number,
]

/** An exception with an id of its own. */
export function thrown(
  random: Random,
  className: string,
  message: string,
  options: Partial<Pick<ThrownException, 'causes' | 'metadata' | 'frames'>> = {},
): ThrownException {
  const { causes = [], metadata = {}, frames = [] } = options
  return { id: createEventId(random), className, message, causes, metadata, frames }
}

/**
 * The one event that holds all exceptions of a build: exceptions, stack traces and stack frames,
 * each by id, as text where an id is a key. Maven's exceptions have no metadata.
 */
export function exceptionEvent(
  plan: BuildPlan,
  at: number,
  roots: readonly ThrownException[],
  random: Random,
): TimedEvent {
  const gradle = plan.project.tool === 'gradle'
  const exceptions: Record<string, ExactJson> = {}
  const stackTraces: Record<string, ExactJson> = {}
  const stackFrames: Record<string, ExactJson> = {}
  const frameIds = new Map<string, bigint>()

  const frameId = (frame: StackFrame): bigint => {
    const key = frame.join(' ')
    const known = frameIds.get(key)
    if (known !== undefined) return known
    const id = createEventId(random)
    const [declaringClass, methodName, fileName, lineNumber] = frame
    frameIds.set(key, id)
    stackFrames[String(id)] = { declaringClass, methodName, fileName, lineNumber, fileRef: null }
    return id
  }

  const add = (exception: ThrownException): void => {
    if (exceptions[String(exception.id)] !== undefined) return
    const stackTrace = createEventId(random)
    stackTraces[String(stackTrace)] = { stackFrames: exception.frames.map(frameId) }
    exceptions[String(exception.id)] = {
      className: exception.className,
      message: exception.message,
      stackTrace,
      causes: exception.causes.map(({ id }) => id),
      metadata: gradle ? exception.metadata : undefined,
      classLevelAnnotations: [],
    }
    exception.causes.forEach(add)
  }

  roots.forEach(add)
  const data = { exceptions, stackTraces, stackFrames }
  return timedEvent(at, `${prefixes[plan.project.tool]}ExceptionData`, gradle ? 1 : 0, data)
}

// Tests

/** The test task whose tests are shown. */
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
  const { failing, flaky } = task
  const cases: (TestCase & { readonly failureId: bigint | null })[] = []
  if (failing !== null) cases.push({ ...failing.test, failureId: failing.failureId })
  if (flaky !== null) {
    cases.push({ ...flaky.test, failureId: flaky.failureId }, { ...flaky.test, failureId: null })
  }
  for (let more = whole(random, 1, 4); more > 0; more--) {
    const test = testCase(plan.project, random())
    const known = cases.some((o) => o.className === test.className && o.name === test.name)
    if (!known) cases.push({ ...test, failureId: null })
  }
  const step = (task.end - task.begin) / (cases.length + 1)
  const events: TimedEvent[] = []
  let at = task.begin + step / 2

  const started = (
    parent: bigint | null,
    name: string,
    className: string | null,
    suite: boolean,
  ): bigint => {
    const id = createEventId(random)
    const data = { task: task.id, id, parent, name, className, suite }
    events.push(timedEvent(Math.round(at), 'TestStarted', 0, data))
    return id
  }
  const finished = (id: bigint, failed: boolean, failureId: bigint | null): void => {
    const data = { task: task.id, id, failed, skipped: false, failureId, failure: null }
    events.push(timedEvent(Math.round(at), 'TestFinished', 1, data))
  }

  const executor = started(null, `Gradle Test Executor ${whole(random, 1, 40)}`, null, true)
  for (const className of new Set(cases.map((one) => one.className))) {
    const suite = started(executor, className, className, true)
    for (const { name, failureId } of cases.filter((one) => one.className === className)) {
      const id = started(suite, name, className, false)
      at += step
      finished(id, failureId !== null, failureId)
    }
    finished(suite, className === failing?.test.className, null)
  }
  finished(executor, failing !== null, null)
  return events
}
