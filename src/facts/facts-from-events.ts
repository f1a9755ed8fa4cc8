import {
  type BuildEvent,
  decodeEventData,
  eventData,
  type EventData,
} from '../protocol/build-export.ts'
import type { BuildMessage } from '../protocol/build-message.ts'
import type { Facts } from '../protocol/facts.ts'
import { factsOfMessage } from './merged-facts.ts'
import type { OnUnreadable } from '../protocol/read-fields.ts'

type Fields = Record<string, string | number | boolean | null>

/** The event types that `eventFields` reads, of both families. */
const fieldEventTypes = ['BuildModes', 'Hardware', 'Os', 'Jvm', 'Encoding']

/**
 * The tool-specific fields (docs/services.md#tool-fields) that one event of a Gradle or Maven build
 * has; none where the event is of another type or its data has another shape. `family` is the
 * tool's field prefix and `type` the event's type without the prefix of Maven's.
 */
function eventFields(
  family: 'gradle' | 'maven',
  type: string,
  event: BuildEvent,
  onUnreadable: OnUnreadable,
): Fields {
  const named = fieldsOf(type, event, onUnreadable)
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => [`${family}.${name}`, value]),
  )
}

function fieldsOf(type: string, event: BuildEvent, onUnreadable: OnUnreadable): Fields {
  switch (type) {
    case 'BuildModes':
      return modes(event.data)
    case 'Hardware': {
      const hardware = decodeEventData(eventData.Hardware, event, onUnreadable)
      return hardware ? { 'environment.numberOfCpuCores': hardware.numProcessors } : {}
    }
    case 'Os': {
      const os = decodeEventData(eventData.Os, event, onUnreadable)
      if (!os) return {}
      const words = [os.name, os.version, os.arch ? `(${os.arch})` : undefined]
      return { 'environment.operatingSystem': words.filter(Boolean).join(' ') }
    }
    case 'Jvm': {
      const jvm = decodeEventData(eventData.Jvm, event, onUnreadable)
      if (!jvm) return {}
      const { vmVendor, vmName, vmVersion, vmInfo, runtimeName, runtimeVersion } = jvm
      const words = [vmVendor, vmName, vmVersion, vmInfo ? `(${vmInfo})` : undefined]
      return {
        'environment.jvmVersion': words.filter(Boolean).join(' '),
        'environment.jreVersion': `${vmVendor} ${runtimeName} ${runtimeVersion}`,
      }
    }
    case 'Encoding': {
      const encoding = decodeEventData(eventData.Encoding, event, onUnreadable)
      return encoding ? { 'environment.jvmCharset': encoding.defaultCharset } : {}
    }
    default:
      return {}
  }
}

/** How the switches of Gradle's BuildModes are named as fields. */
const modeNames: Readonly<Record<string, string>> = {
  refreshDependencies: 'refreshDependenciesEnabled',
  parallelProjectExecution: 'parallelProjectExecution',
  rerunTasks: 'rerunTasksEnabled',
  continuous: 'continuousBuildEnabled',
  continueOnFailure: 'continueOnFailureEnabled',
  configureOnDemand: 'configurationOnDemandEnabled',
  daemon: 'daemonEnabled',
  offline: 'offlineModeEnabled',
  dryRun: 'dryRunEnabled',
  maxWorkers: 'maxNumberOfGradleWorkers',
  taskOutputCache: 'buildCacheEnabled',
}

function modes(data: Record<string, unknown>): Fields {
  const fields: Fields = {}
  for (const [mode, field] of Object.entries(modeNames)) {
    const value = data[mode]
    if (typeof value === 'boolean' || typeof value === 'number') {
      fields[`buildOptions.${field}`] = value
    }
  }
  return fields
}

const sharedTypes = [
  'BuildStarted',
  'BuildFinished',
  'BuildAgent',
  'ProjectStructure',
  'UserTag',
  'UserNamedValue',
  ...fieldEventTypes,
]

/** All that `factsFromEvents` reads: what to request (docs/services.md#export-events-of-a-build). */
export const factEventTypes: readonly string[] = [
  'BuildRequestedTasks',
  'MvnBuildRequestedGoals',
  ...sharedTypes,
  ...sharedTypes.map((type) => `Mvn${type}`),
]

/**
 * What the events of a Gradle or Maven build say, given all its events of `factEventTypes` or more,
 * in any order. A build without a finish event has no outcome and no duration yet; one that has
 * finished is known to have no user, host and project but those in its events, and no duration where it ends before it starts. Events whose data
 * has another shape than the known ones are reported and say nothing. Facts of builds of other
 * tools are those of the announcement. Times are epoch ms, durations ms.
 */
export function factsFromEvents(
  build: BuildMessage,
  events: Iterable<BuildEvent>,
  onUnreadable: OnUnreadable = () => undefined,
): Facts {
  const facts: Facts = factsOfMessage(build)
  if (otherTools.has(facts.buildTool)) return facts
  const fields: NonNullable<Facts['fields']> = {}
  const tags: string[] = []
  const values: { name: string; value: string }[] = []
  const structures: Structure[] = []
  const unread = new Set<string>()
  let finishedAt: number | undefined
  for (const event of events) {
    const { eventType } = event.type
    const maven = eventType.startsWith('Mvn')
    const type = maven ? eventType.slice('Mvn'.length) : eventType
    const report: OnUnreadable = (unreadable) => {
      unread.add(type)
      onUnreadable(unreadable)
    }
    Object.assign(fields, eventFields(maven ? 'maven' : 'gradle', type, event, report))
    if (type === 'BuildStarted') facts.startTime = event.timestamp
    if (type === 'UserTag') {
      const decoded = decodeEventData(eventData.UserTag, event, report)
      if (decoded) tags.push(decoded.tag)
    }
    if (type === 'UserNamedValue') {
      const decoded = decodeEventData(eventData.UserNamedValue, event, report)
      if (decoded) values.push({ name: decoded.key, value: decoded.value ?? '' })
    }
    const outcome = outcomeOf(eventType, event, report)
    if (outcome !== undefined) {
      finishedAt = event.timestamp
      facts.outcome = outcome
    }
    Object.assign(facts, requestedOf(eventType, event, report))
    if (type === 'BuildAgent') Object.assign(facts, agentOf(event, report))
    if (eventType === 'MvnProjectStructure') {
      const top = decodeEventData(eventData.MvnProjectStructure, event, report)?.projects[0]
      if (top) facts.project = top.name ?? top.artifactId
    }
    if (eventType === 'ProjectStructure') {
      const structure = decodeEventData(eventData.ProjectStructure, event, report)
      if (structure) structures.push(structure)
    }
  }
  const root = rootOf(structures)
  if (root !== undefined) facts.project = root.rootProjectName
  if (facts.startTime === undefined || facts.startTime === null) return facts
  // Only a build that has begun in these events is known to have no more tags than these.
  Object.assign(facts, { tags, values, fields })
  if (finishedAt === undefined) return facts
  // By a clock that was set back meanwhile it would have ended before it began.
  facts.durationMs = finishedAt < facts.startTime ? null : finishedAt - facts.startTime
  if (!unread.has('BuildAgent')) {
    facts.user ??= null
    facts.hostname ??= null
  }
  if (!unread.has('ProjectStructure') && structures.length === 0) facts.project ??= null
  if (facts.outcome === 'succeeded') {
    facts.hasVerificationFailure = false
    facts.hasNonVerificationFailure = false
  }
  return facts
}

/** What events of these mean isn't known, whatever they are called. */
const otherTools: ReadonlySet<string> = new Set(['bazel', 'sbt', 'npm', 'python'])

function requestedOf(
  eventType: string,
  event: BuildEvent,
  onUnreadable: OnUnreadable,
): Partial<Facts> {
  if (eventType === 'BuildRequestedTasks') {
    const decoded = decodeEventData(eventData.BuildRequestedTasks, event, onUnreadable)
    return decoded ? { requested: decoded.requested } : {}
  }
  if (eventType === 'MvnBuildRequestedGoals') {
    const decoded = decodeEventData(eventData.MvnBuildRequestedGoals, event, onUnreadable)
    return decoded ? { requested: decoded.goals } : {}
  }
  return {}
}

function agentOf(event: BuildEvent, onUnreadable: OnUnreadable): Partial<Facts> {
  const decoded = decodeEventData(eventData.BuildAgent, event, onUnreadable)
  if (!decoded) return {}
  const { username, publicHostname, localHostname } = decoded
  return { user: username, hostname: publicHostname ?? localHostname }
}

type Structure = EventData<'ProjectStructure'>

/**
 * Gradle repeats its structure for each included build: the root is the one whose projects have the
 * build path ":". Streams older than that path have that of buildSrc after that of the root, and a
 * structure without projects is the root's if there is no other.
 */
function rootOf(structures: readonly Structure[]): Structure | undefined {
  const named = structures.findLast(({ projects }) =>
    projects?.some(({ buildPath }) => buildPath === ':'),
  )
  const old = structures.find(({ projects }) =>
    projects?.every(({ buildPath }) => buildPath === undefined),
  )
  const [only, ...others] = structures
  return named ?? old ?? (others.length === 0 && only?.projects === undefined ? only : undefined)
}

function outcomeOf(
  eventType: string,
  event: BuildEvent,
  onUnreadable: OnUnreadable,
): 'succeeded' | 'failed' | undefined {
  if (eventType === 'MvnBuildFinished') {
    const decoded = decodeEventData(eventData.MvnBuildFinished, event, onUnreadable)
    return decoded && (decoded.failed ? 'failed' : 'succeeded')
  }
  if (eventType !== 'BuildFinished') return undefined
  const { failed, failureId, failure } = eventData.BuildFinished.parse(event.data)
  if (failed === true || (failureId ?? failure ?? null) !== null) return 'failed'
  if (failed === false || failureId === null || failure === null) return 'succeeded'
  onUnreadable({ field: 'BuildFinished.failureId', reason: 'expected null or a failure' })
  return undefined
}
