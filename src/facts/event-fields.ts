import type { BuildEvent } from '../protocol/build-event.ts'
import { eventData } from '../protocol/event-data.ts'

type Fields = Record<string, string | number | boolean | null>

/** The event types that `eventFields` reads, of both families. */
export const fieldEventTypes = ['BuildModes', 'Hardware', 'Os', 'Jvm', 'Encoding']

/**
 * The tool-specific fields (docs/services.md#tool-fields) that one event of a Gradle or Maven build
 * tells; none where the event is of another type or its data has another shape. `family` is the
 * tool's field prefix and `type` the event's type without the prefix of Maven's.
 */
export function eventFields(family: 'gradle' | 'maven', type: string, event: BuildEvent): Fields {
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
