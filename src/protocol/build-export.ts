import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'
import { parseExactJson } from './exact-json.ts'
import { type OnUnreadable, readFields } from './read-fields.ts'
import { reasonOf } from './parsed-text.ts'

/** The two versions of the export service (docs/services.md#export-versions). */
export type ExportVersion = 'v1' | 'v2'

/** Where a listing begins: an instant in epoch ms (0 is the beginning), or only what is to come. */
export type Since = number | 'now'

/** All builds received since an instant (docs/services.md#export-since). */
export function buildsSincePath(version: ExportVersion, since: Since, stream: boolean): string {
  return `/build-export/${version}/builds/since/${since}${stream ? '?stream' : ''}`
}

/** All builds received after a build (docs/services.md#export-since-build). */
export function buildsSinceBuildPath(
  version: ExportVersion,
  buildId: string,
  stream: boolean,
): string {
  return `/build-export/${version}/builds/sinceBuild/${buildId}${stream ? '?stream' : ''}`
}

/** The events of one build, of all types or of some (docs/services.md#export-events-of-a-build). */
export function buildEventsPath(
  version: ExportVersion,
  buildId: string,
  eventTypes: readonly string[] = [],
): string {
  const query =
    eventTypes.length === 0 ? '' : `?eventTypes=${eventTypes.map(encodeURIComponent).join(',')}`
  return `/build-export/${version}/build/${buildId}/events${query}`
}

/**
 * One thing that happened in a build (docs/services.md#export-event-message). What `data` holds
 * depends on the event type and its version; unknown types and versions are kept as they are.
 */
export const BuildEvent = z.looseObject({
  timestamp: EpochMs,
  type: z.looseObject({
    majorVersion: z.int(),
    minorVersion: z.int(),
    eventType: z.string().check(z.minLength(1)),
  }),
  data: z.record(z.string(), z.unknown()),
})
export type BuildEvent = z.infer<typeof BuildEvent>

/** Decodes an event from JSON, 64-bit ids kept as text. Throws a SyntaxError, or a ZodError that names wrong keys. */
export function decodeBuildEvent(text: string): BuildEvent {
  return BuildEvent.parse(parseExactJson(text))
}

/** What is wrong with a message that `decodeBuildEvent`, or the reader of its data, threw at. */
export function faultText(error: unknown): string {
  if (error instanceof z.core.$ZodError) {
    const [issue] = error.issues
    const where = issue === undefined ? '' : issue.path.map(String).join('.')
    const expected = issue?.code === 'invalid_type' ? ` (${issue.expected} expected)` : ''
    return `${where === '' ? 'The message' : `“${where}”`} is missing or not as expected${expected}`
  }
  if (error instanceof SyntaxError) return `Not JSON: ${error.message}`
  return reasonOf(error)
}

/** What events that tell facts carry, by type (docs/services.md#export-event-types); Maven's begin with `Mvn`. */
export const eventData = {
  BuildRequestedTasks: z.looseObject({ requested: z.array(z.string()) }),
  MvnBuildRequestedGoals: z.looseObject({ goals: z.array(z.string()) }),
  BuildAgent: z.looseObject({
    username: z.nullish(z.string()),
    localHostname: z.nullish(z.string()),
    publicHostname: z.nullish(z.string()),
    ipAddresses: z.nullish(z.array(z.string())),
  }),
  ProjectStructure: z.looseObject({
    rootProjectName: z.string(),
    projects: z.optional(z.array(z.looseObject({ buildPath: z.optional(z.string()) }))),
  }),
  MvnProjectStructure: z.looseObject({
    projects: z
      .array(z.looseObject({ name: z.nullish(z.string()), artifactId: z.string() }))
      .check(z.minLength(1)),
  }),
  UserTag: z.looseObject({ tag: z.string() }),
  UserNamedValue: z.looseObject({ key: z.string(), value: z.nullish(z.string()) }),
  /** Failed if there is a failure: its id since version 1.1, the failure itself before. One of them is null otherwise. */
  BuildFinished: z.looseObject({
    failed: z.optional(z.unknown()),
    failureId: z.optional(z.unknown()),
    failure: z.optional(z.unknown()),
  }),
  MvnBuildFinished: z.looseObject({ failed: z.boolean() }),
  Hardware: z.looseObject({ numProcessors: z.number() }),
  Os: z.looseObject({
    name: z.string(),
    version: z.nullish(z.string()),
    arch: z.nullish(z.string()),
  }),
  Jvm: z.looseObject({
    vmVendor: z.string(),
    vmName: z.string(),
    vmVersion: z.string(),
    vmInfo: z.nullish(z.string()),
    runtimeName: z.string(),
    runtimeVersion: z.string(),
  }),
  Encoding: z.looseObject({ defaultCharset: z.string() }),
  BuildModes: z.record(z.string(), z.unknown()),
}

export type EventData<Type extends keyof typeof eventData> = z.infer<(typeof eventData)[Type]>

/**
 * The data of an event by its schema of `eventData`, field by field: what has another shape than the known ones is reported and
 * left out. Undefined where what is left can't be read either.
 */
export function decodeEventData<Schema extends z.ZodMiniType>(
  schema: Schema,
  { type: { eventType }, data }: BuildEvent,
  onUnreadable: OnUnreadable,
): z.infer<Schema> | undefined {
  return readFields(schema, data, eventType, onUnreadable)
}
