import type { BuildPlan } from './build-plan.ts'
import type { CustomData } from './build-values.ts'
import { between, createEventId, type Random } from './seeded-random.ts'
import {
  type ExactJson,
  fillText,
  inOrderOfTime,
  type TimedEvent,
  timedEvent,
  type Values,
} from './shapes.ts'

// What the events of all tools have in common.

/** Writes an event of one build: its name, when (epoch ms), and values, by default the build's. */
export type Emit = (name: string, at: number, values?: Values) => TimedEvent

/** The writer of a build's events. */
export function emitterOf({ project }: BuildPlan, ofBuild: Values): Emit {
  return (name, at, values = ofBuild) => timedEvent(project.tool, name, at, values)
}

/** Hardware, operating system and, for tools that run on one, the JVM. */
export function machineEvents({ project, startTime }: BuildPlan, emit: Emit): TimedEvent[] {
  const ofJvm = ['bazel', 'npm', 'python'].includes(project.tool)
    ? []
    : ['Jvm', 'Locality', 'Encoding']
  return ['Hardware', 'Os', ...ofJvm].map((name) => emit(name, startTime))
}

/** Tags, values and links, one event each. */
export function customDataEvents({ tags, values, links }: CustomData, at: number, emit: Emit) {
  return [
    ...tags.map((tag) => emit('UserTag', at, { tag })),
    ...values.map((value) => emit('UserNamedValue', at, value)),
    ...links.map((link) => emit('UserLink', at, link)),
  ]
}

const memoryPools = [
  ['Metaspace', 0.12],
  ['G1 Eden Space', 0.45],
  ['G1 Old Gen', 0.4],
  ['G1 Survivor Space', 0.03],
] as const

/** How much memory the JVM took at most, in bytes; comes after the build's end. */
export function memoryEvent(plan: BuildPlan, at: number, emit: Emit, random: Random): TimedEvent {
  const { maxHeap } = plan.machine
  const used = Math.floor(maxHeap * between(random, 0.15, 0.8))
  const total = Math.min(maxHeap, Math.floor(used * 1.3))
  const pools = memoryPools.map(([name, share]) => ({
    name,
    heap: name !== 'Metaspace',
    init: 2555904,
    used: Math.floor(used * share),
    committed: Math.floor(total * share),
    max: name === 'G1 Old Gen' ? maxHeap : -1,
  }))
  const gcTime = Math.floor(plan.duration * between(random, 0.002, 0.03))
  return emit('BasicMemoryStats', at, { free: total - used, total, maxHeap, pools, gcTime })
}

/**
 * A small set of events for Bazel, sbt, npm and Python builds, as JSON texts in order of time. The
 * real names and shapes are not public: these are made up after Maven's (`NpmBuildStarted` after
 * `MvnBuildStarted`), so that readers have something to show and to skip.
 */
export function plainToolEvents(plan: BuildPlan, values: Values, custom: CustomData): string[] {
  const { startTime: at, duration } = plan
  const emit = emitterOf(plan, values)
  return inOrderOfTime([
    emit('BuildStarted', at),
    ...machineEvents(plan, emit),
    emit('BuildAgent', at),
    emit('BuildRequested', at),
    emit('ProjectStructure', at),
    ...customDataEvents(custom, at, emit),
    emit('BuildFinished', at + duration),
  ])
}

// Exceptions

/** An exception, which is written together with its causes. */
export interface ThrownException {
  readonly id: bigint
  readonly className: string
  readonly message: string
  readonly causes: readonly ThrownException[]
  readonly metadata: Readonly<Record<string, ExactJson>>
  /** Rows of class, method, file and line. */
  readonly frames: readonly string[]
}

/** An exception with an id of its own, of a class and with a message as in company.json. */
export function thrown(
  random: Random,
  [className = '', message = '']: readonly string[],
  values: Values,
  options: Partial<Pick<ThrownException, 'causes' | 'metadata' | 'frames'>> = {},
): ThrownException {
  const { causes = [], metadata = {}, frames = [] } = options
  const id = createEventId(random)
  return { id, className, message: fillText(message, values), causes, metadata, frames }
}

/**
 * The one event that holds all exceptions of a build: exceptions, stack traces and stack frames,
 * each by id, as text where an id is a key. Maven's exceptions have no metadata.
 */
export function exceptionEvent(
  plan: BuildPlan,
  at: number,
  roots: readonly ThrownException[],
  emit: Emit,
  random: Random,
): TimedEvent {
  const exceptions: Record<string, ExactJson> = {}
  const stackTraces: Record<string, ExactJson> = {}
  const stackFrames: Record<string, ExactJson> = {}
  const frameIds = new Map<string, bigint>()

  const frameId = (frame: string): bigint => {
    const known = frameIds.get(frame)
    if (known !== undefined) return known
    const id = createEventId(random)
    const [declaringClass = '', methodName, fileName, line] = frame.split(' | ')
    const lineNumber = Number(line)
    frameIds.set(frame, id)
    stackFrames[String(id)] = { declaringClass, methodName, fileName, lineNumber, fileRef: null }
    return id
  }

  const add = ({ id, className, message, causes, metadata, frames }: ThrownException): void => {
    if (exceptions[String(id)] !== undefined) return
    const stackTrace = createEventId(random)
    stackTraces[String(stackTrace)] = { stackFrames: frames.map(frameId) }
    exceptions[String(id)] = {
      className,
      message,
      stackTrace,
      causes: causes.map((cause) => cause.id),
      metadata: plan.project.tool === 'gradle' ? metadata : undefined,
      classLevelAnnotations: [],
    }
    causes.forEach(add)
  }

  roots.forEach(add)
  return emit('ExceptionData', at, { exceptions, stackTraces, stackFrames })
}
