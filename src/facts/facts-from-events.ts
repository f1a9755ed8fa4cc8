import { type BuildEvent, eventData } from '../protocol/build-export.ts'
import type { BuildMessage } from '../protocol/build-message.ts'
import type { Facts } from '../protocol/facts.ts'
import { factsOfMessage } from './merged-facts.ts'

type Fields = Record<string, string | number | boolean | null>

/** The event types that `eventFields` reads, of both families. */
const fieldEventTypes = ['BuildModes', 'Hardware', 'Os', 'Jvm', 'Encoding']

/**
 * The tool-specific fields (docs/services.md#tool-fields) that one event of a Gradle or Maven build
 * has; none where the event is of another type or its data has another shape. `family` is the
 * tool's field prefix and `type` the event's type without the prefix of Maven's.
 */
function eventFields(family: 'gradle' | 'maven', type: string, event: BuildEvent): Fields {
  const named = fieldsOf(type, event)
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => [`${family}.${name}`, value]),
  )
}

function fieldsOf(type: string, { data }: BuildEvent): Fields {
  switch (type) {
    case 'BuildModes':
      return modes(data)
    case 'Hardware': {
      const hardware = eventData.Hardware.safeParse(data)
      return hardware.success ? { 'environment.numberOfCpuCores': hardware.data.numProcessors } : {}
    }
    case 'Os': {
      const os = eventData.Os.safeParse(data)
      if (!os.success) return {}
      const { name, version, arch } = os.data
      const words = [name, version, arch ? `(${arch})` : undefined]
      return { 'environment.operatingSystem': words.filter(Boolean).join(' ') }
    }
    case 'Jvm': {
      const jvm = eventData.Jvm.safeParse(data)
      if (!jvm.success) return {}
      const { vmVendor, vmName, vmVersion, vmInfo, runtimeName, runtimeVersion } = jvm.data
      const words = [vmVendor, vmName, vmVersion, vmInfo ? `(${vmInfo})` : undefined]
      return {
        'environment.jvmVersion': words.filter(Boolean).join(' '),
        'environment.jreVersion': `${vmVendor} ${runtimeName} ${runtimeVersion}`,
      }
    }
    case 'Encoding': {
      const encoding = eventData.Encoding.safeParse(data)
      return encoding.success ? { 'environment.jvmCharset': encoding.data.defaultCharset } : {}
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

/**
 * All that `factsFromEvents` reads: what to request, as docs/services.md#export-events-of-a-build
 * recommends.
 */
export const factEventTypes: readonly string[] = [
  'BuildRequestedTasks',
  'MvnBuildRequestedGoals',
  ...sharedTypes,
  ...sharedTypes.map((type) => `Mvn${type}`),
]

/**
 * What the events of a Gradle or Maven build say, given all its events of `factEventTypes` or more,
 * in any order. A build without a finish event has no outcome and no duration yet. Events of other
 * types, and events whose data has another shape than the known ones, say nothing. Facts of builds
 * of other tools are those of the announcement. Times are epoch ms, durations ms.
 */
export function factsFromEvents(build: BuildMessage, events: Iterable<BuildEvent>): Facts {
  const facts: Facts = factsOfMessage(build)
  const fields: NonNullable<Facts['fields']> = {}
  const tags: string[] = []
  const values: { name: string; value: string }[] = []
  let finishedAt: number | undefined
  for (const event of events) {
    const { eventType } = event.type
    const maven = eventType.startsWith('Mvn')
    const type = maven ? eventType.slice('Mvn'.length) : eventType
    Object.assign(fields, eventFields(maven ? 'maven' : 'gradle', type, event))
    if (type === 'BuildStarted') facts.startTime = event.timestamp
    if (type === 'UserTag') tags.push(...tagOf(event))
    if (type === 'UserNamedValue') values.push(...valueOf(event))
    const outcome = outcomeOf(eventType, event)
    if (outcome !== undefined) {
      finishedAt = event.timestamp
      facts.outcome = outcome
    }
    Object.assign(facts, requestedOf(eventType, event), projectOf(eventType, event, facts))
    if (type === 'BuildAgent') Object.assign(facts, agentOf(event))
  }
  if (facts.startTime === undefined || facts.startTime === null) return facts
  // Only a build that has begun in these events is known to have no more tags than these.
  Object.assign(facts, { tags, values, fields })
  if (finishedAt !== undefined) facts.durationMs = Math.max(0, finishedAt - facts.startTime)
  if (facts.outcome === 'succeeded') {
    facts.hasVerificationFailure = false
    facts.hasNonVerificationFailure = false
  }
  return facts
}

function tagOf({ data }: BuildEvent): string[] {
  const decoded = eventData.UserTag.safeParse(data)
  return decoded.success ? [decoded.data.tag] : []
}

function valueOf({ data }: BuildEvent): { name: string; value: string }[] {
  const decoded = eventData.UserNamedValue.safeParse(data)
  return decoded.success ? [{ name: decoded.data.key, value: decoded.data.value ?? '' }] : []
}

function requestedOf(eventType: string, { data }: BuildEvent): Partial<Facts> {
  if (eventType === 'BuildRequestedTasks') {
    const decoded = eventData.BuildRequestedTasks.safeParse(data)
    return decoded.success ? { requested: decoded.data.requested } : {}
  }
  if (eventType === 'MvnBuildRequestedGoals') {
    const decoded = eventData.MvnBuildRequestedGoals.safeParse(data)
    return decoded.success ? { requested: decoded.data.goals } : {}
  }
  return {}
}

function agentOf({ data }: BuildEvent): Partial<Facts> {
  const decoded = eventData.BuildAgent.safeParse(data)
  if (!decoded.success) return {}
  const { username, publicHostname, localHostname } = decoded.data
  return { user: username ?? null, hostname: publicHostname ?? localHostname ?? null }
}

/**
 * Gradle repeats its structure for each included build: the root is the one whose projects have the
 * build path ":", and streams older than that path have one structure only, after that of buildSrc.
 */
function projectOf(eventType: string, { data }: BuildEvent, known: Facts): Partial<Facts> {
  if (eventType === 'MvnProjectStructure') {
    const top = eventData.MvnProjectStructure.safeParse(data).data?.projects[0]
    return top === undefined ? {} : { project: top.name ?? top.artifactId }
  }
  if (eventType !== 'ProjectStructure') return {}
  const structure = eventData.ProjectStructure.safeParse(data).data
  if (structure === undefined) return {}
  const isRoot = structure.projects.some(({ buildPath }) => buildPath === ':')
  const isOld = structure.projects.every(({ buildPath }) => buildPath === undefined)
  return isRoot || (isOld && known.project === undefined)
    ? { project: structure.rootProjectName }
    : {}
}

function outcomeOf(eventType: string, { data }: BuildEvent): 'succeeded' | 'failed' | undefined {
  if (eventType === 'MvnBuildFinished') {
    const decoded = eventData.MvnBuildFinished.safeParse(data)
    if (!decoded.success) return undefined
    return decoded.data.failed ? 'failed' : 'succeeded'
  }
  if (eventType !== 'BuildFinished') return undefined
  const { failureId, failure } = eventData.BuildFinished.parse(data)
  return (failureId ?? failure ?? null) === null ? 'succeeded' : 'failed'
}
