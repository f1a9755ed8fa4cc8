import type { BuildEvent } from '../protocol/build-export.ts'

/** Something known of where and how a build ran. */
export interface EnvironmentRow {
  readonly group: string
  readonly name: string
  readonly value: string
  /** What the value counts, where it is a number with a unit. */
  readonly unit: 'bytes' | 'ms' | 'instant' | null
}

/** The event types that are shown, and under which heading; Maven's have `Mvn` before. */
const groups: Readonly<Record<string, string>> = {
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
}

/** The events that `environmentRows` reads. */
export const environmentEventTypes: readonly string[] = Object.keys(groups).flatMap((type) => [
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

/**
 * Where and how a build ran, in the words of its events: every plain value of them, also such as
 * later versions of the events add. What has no value is left out.
 */
export function environmentRows(events: Iterable<BuildEvent>): readonly EnvironmentRow[] {
  const rows: EnvironmentRow[] = []
  for (const { type, data } of events) {
    const name = type.eventType.startsWith('Mvn') ? type.eventType.slice(3) : type.eventType
    const group = groups[name]
    if (group === undefined) continue
    for (const [key, raw] of Object.entries(data)) {
      const value = valueText(raw)
      if (value === '') continue
      const place = `${name}.${key}`
      rows.push({ group, name: names[place] ?? words(key), value, unit: units[place] ?? null })
    }
  }
  const order = [...new Set(Object.values(groups))]
  return rows.sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group))
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
