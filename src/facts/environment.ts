import {
  attributesKey,
  type Models,
  readAttributes,
  toolsWithAttributes,
} from '../protocol/build-data.ts'
import type { BuildEvent } from '../protocol/build-export.ts'
import { isRecord } from './event.ts'

export interface EnvironmentRow {
  readonly group: string
  readonly name: string
  readonly value: string
  /** What the value counts, where it is a number with a unit. */
  readonly unit: 'bytes' | 'ms' | 'instant' | null
}

/** The event types that are shown, and under which heading; Maven's have `Mvn` before. */
const groups: ReadonlyMap<string, string> = new Map(
  Object.entries({
    BuildAgent: 'Machine',
    Hardware: 'Machine',
    Os: 'Operating system',
    Locality: 'Locale',
    Encoding: 'Locale',
    Jvm: 'Java',
    JvmArgs: 'Java',
    BasicMemoryStats: 'Memory',
    DaemonState: 'Daemon',
    BuildModes: 'Switches',
    ScopeIds: 'Identity',
  }),
)

/** The events that `environmentRows` reads. */
export const environmentEventTypes: readonly string[] = [...groups.keys()].flatMap((type) => [
  type,
  `Mvn${type}`,
])

const units: Readonly<Record<string, EnvironmentRow['unit']>> = {
  'BasicMemoryStats.free': 'bytes',
  'BasicMemoryStats.total': 'bytes',
  'BasicMemoryStats.max': 'bytes',
  'BasicMemoryStats.gcTime': 'ms',
  'DaemonState.startTime': 'instant',
  'DaemonState.idleTimeout': 'ms',
  'Locality.timeZoneOffsetMillis': 'ms',
}

/** What would not be understood by its key alone. */
const names: Readonly<Record<string, string>> = {
  'Hardware.numProcessors': 'CPU cores',
  'JvmArgs.effective': 'arguments',
  'Locality.timeZoneId': 'time zone',
  'Locality.timeZoneOffsetMillis': 'UTC offset',
  'BasicMemoryStats.gcTime': 'garbage collection',
  'BasicMemoryStats.max': 'maximum heap',
  'BasicMemoryStats.total': 'heap at the end',
  'BasicMemoryStats.free': 'free heap at the end',
}

/** Where and how a build ran, in the words of its events: every plain value that they have, known or not. */
export function environmentRows(events: Iterable<BuildEvent>): readonly EnvironmentRow[] {
  const rows: EnvironmentRow[] = []
  for (const { type, data } of events) {
    const name = type.eventType.startsWith('Mvn') ? type.eventType.slice(3) : type.eventType
    const group = groups.get(name)
    if (group === undefined) continue
    for (const [key, raw] of Object.entries(data)) {
      const value = valueText(raw)
      if (value === '') continue
      const place = `${name}.${key}`
      rows.push({ group, name: names[place] ?? words(key), value, unit: units[place] ?? null })
    }
  }
  const order = [...new Set(groups.values())]
  return rows.sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group))
}

/**
 * What the attributes of a build say of it (docs/services.md#build-attributes): the command and how it
 * ended, the tool, where it ran and its switches, also such as later releases add. All that is known of
 * tools that publish no events. `models` is the answer to a request for the attributes of every tool.
 */
export function attributeRows(models: Models): readonly EnvironmentRow[] {
  const model = toolsWithAttributes
    .map((tool) => models[attributesKey(tool)]?.model)
    .find((one) => one !== undefined && one !== null)
  const attributes = readAttributes(model, () => undefined)?.attributes
  if (attributes === undefined) return []
  const rows = Object.entries(attributes).flatMap(([key, value]): EnvironmentRow[] => {
    if (elsewhere.has(key)) return []
    const nested = nestedGroups.get(key)
    if (nested !== undefined) return isRecord(value) ? rowsOf(nested, value) : []
    return rowsOf(groupOfAttribute(key), { [key]: value })
  })
  const order = ['Command', 'Tool', ...new Set(groups.values()), 'Capture settings']
  return rows.sort(
    (a, b) =>
      order.indexOf(a.group) - order.indexOf(b.group) ||
      Number(b.name === 'command') - Number(a.name === 'command'),
  )
}

/** The links of a build's attributes; none where there are no attributes. */
export function attributeLinks(
  models: Models,
): readonly { readonly label: string; readonly url: string }[] {
  for (const tool of toolsWithAttributes) {
    const read = readAttributes(models[attributesKey(tool)]?.model, () => undefined)
    if (read?.attributes.links) return read.attributes.links
  }
  return []
}

function rowsOf(group: string, values: Readonly<Record<string, unknown>>): EnvironmentRow[] {
  return Object.entries(values).flatMap(([key, raw]) => {
    // The deprecated spellings of others.
    if (key === 'rerunGoals' || key.endsWith('InputsFileCapturingEnabled')) return []
    const value = key === 'command' ? commandText(raw) : valueText(raw)
    const own = /^(?:jvm|jre)/.test(key)
      ? 'Java'
      : key === 'operatingSystem'
        ? 'Operating system'
        : group
    const unit = key === 'jvmMaxMemoryHeapSize' ? ('bytes' as const) : null
    return value === ''
      ? []
      : [{ group: own, name: attributeNames.get(key) ?? words(key), value, unit }]
  })
}

/** What the page shows in other places: the facts, the links. */
const elsewhere: ReadonlySet<string> = new Set([
  'id',
  'buildStartTime',
  'buildDuration',
  'hasFailed',
  'hasVerificationFailure',
  'hasNonVerificationFailure',
  'tags',
  'values',
  'links',
  'gradleEnterpriseSettings',
])

const nestedGroups: ReadonlyMap<string, string> = new Map(
  Object.entries({
    environment: 'Machine',
    buildOptions: 'Switches',
    develocitySettings: 'Capture settings',
  }),
)

const attributeNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    targetPatterns: 'targets',
    bazelVersion: 'Bazel version',
    gradleVersion: 'Gradle version',
    mavenVersion: 'Maven version',
    pythonVersion: 'Python version',
    nodejsVersion: 'Node.js version',
    nodejsLocale: 'locale',
    npmVersion: 'npm version',
    npmAgentVersion: 'agent version',
    pythonAgentVersion: 'agent version',
    numberOfCpuCores: 'CPU cores',
    jvmMaxMemoryHeapSize: 'maximum heap',
    localIpAddresses: 'local IP addresses',
    jreVersion: 'JRE version',
    jvmVersion: 'JVM version',
    jvmCharset: 'charset',
    jvmLocale: 'locale',
  }),
)

function groupOfAttribute(key: string): string {
  if (key === 'user' || key === 'host' || key === 'numberOfCpuCores') return 'Machine'
  if (/locale$/i.test(key)) return 'Locale'
  return /version$/i.test(key) ? 'Tool' : 'Command'
}

/** A command as a line, as words, or as its name with arguments. */
function commandText(value: unknown): string {
  if (!isRecord(value)) return valueText(value)
  return [valueText(value.command), valueText(value.arguments)].filter(Boolean).join(' ')
}

/** "numberOfRunningDaemons" becomes "number of running daemons". */
function words(key: string): string {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase())
}

function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (!Array.isArray(value)) return ''
  return value.filter((item) => typeof item === 'string' || typeof item === 'number').join(' ')
}
