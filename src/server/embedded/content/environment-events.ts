import type { BuildPlan } from './build-plan.ts'
import { type TimedEvent, timedEvent } from './build-event-text.ts'
import { customDataOf } from './custom-data.ts'
import { charset, runtimeName, vmInfo, vmName } from './jvm-attributes.ts'
import { between, type Random } from './seeded-random.ts'

/** How a tool's event types begin: Gradle's have no prefix. */
export type Prefix = '' | 'Mvn' | 'Bazel' | 'Sbt' | 'Npm' | 'Python'

/** What a build on a JVM tells of where it runs, right after its start. */
export function jvmEvents(prefix: Prefix, plan: BuildPlan): TimedEvent[] {
  const { machine, startTime: at } = plan
  const { jvm, locale } = machine
  return [
    ...machineEvents(prefix, plan),
    timedEvent(at, `${prefix}Jvm`, 0, {
      version: jvm.version,
      vendor: jvm.vendor,
      runtimeName,
      runtimeVersion: jvm.runtimeVersion,
      classVersion: jvm.classVersion,
      vmInfo,
      vmName,
      vmVersion: jvm.runtimeVersion,
      vmVendor: jvm.vendor,
    }),
    timedEvent(at, `${prefix}Locality`, 0, {
      localeLanguage: locale.language,
      localeCountry: locale.country,
      localeVariant: '',
      timeZoneId: locale.timeZone,
      timeZoneOffsetMillis: locale.offsetMs,
    }),
    timedEvent(at, `${prefix}Encoding`, 0, { defaultCharset: charset }),
  ]
}

/** Processors and operating system. */
export function machineEvents(prefix: Prefix, { machine, startTime: at }: BuildPlan): TimedEvent[] {
  return [
    timedEvent(at, `${prefix}Hardware`, 0, { numProcessors: machine.cores }),
    timedEvent(at, `${prefix}Os`, 0, { ...machine.os }),
  ]
}

/** Who ran the build on which machine. */
export function buildAgentEvent(prefix: Prefix, plan: BuildPlan, at: number): TimedEvent {
  return timedEvent(at, `${prefix}BuildAgent`, 0, {
    username: plan.username,
    localHostname: plan.machine.localHostname,
    publicHostname: plan.machine.publicHostname,
    ipAddresses: plan.machine.ipAddresses,
  })
}

/** Tags, values and links, one event each. */
export function customDataEvents(prefix: Prefix, plan: BuildPlan, at: number): TimedEvent[] {
  const { tags, values, links } = customDataOf(plan)
  return [
    ...tags.map((tag) => timedEvent(at, `${prefix}UserTag`, 0, { tag })),
    ...values.map(({ name, value }) =>
      timedEvent(at, `${prefix}UserNamedValue`, 0, { key: name, value }),
    ),
    ...links.map((link) => timedEvent(at, `${prefix}UserLink`, 0, link)),
  ]
}

/** How much memory the JVM took at most, in bytes; comes after the build's end. */
export function memoryEvent(
  prefix: '' | 'Mvn',
  plan: BuildPlan,
  random: Random,
  at: number,
): TimedEvent {
  const max = plan.machine.maxHeap
  const used = Math.floor(max * between(random, 0.15, 0.8))
  const total = Math.min(max, Math.floor(used * 1.3))
  const pool = (name: string, heap: boolean, share: number, limit: number): Snapshot => ({
    name,
    heap,
    init: 2555904,
    used: Math.floor(used * share),
    committed: Math.floor(total * share),
    max: limit,
  })
  return timedEvent(at, `${prefix}BasicMemoryStats`, prefix === '' ? 1 : 0, {
    free: prefix === '' ? total - used : undefined,
    total: prefix === '' ? total : undefined,
    max,
    peakSnapshots: [
      pool('Metaspace', false, 0.12, -1),
      pool('G1 Eden Space', true, 0.45, -1),
      pool('G1 Old Gen', true, 0.4, max),
      pool('G1 Survivor Space', true, 0.03, -1),
    ],
    gcTime: Math.floor(plan.duration * between(random, 0.002, 0.03)),
  })
}

type Snapshot = Readonly<Record<string, string | number | boolean>>
