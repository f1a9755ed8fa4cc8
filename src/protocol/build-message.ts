import * as z from 'zod/mini'
import { parseTime } from './clock.ts'

/**
 * The 13-character identifier of a build (docs/services.md#export-build-ids): nobody names its
 * alphabet, so any characters that may stand in a path without escaping (RFC 3986 section 2.3).
 */
export const BuildId = z
  .string()
  .check(z.regex(/^[\w.~-]{13}$/, 'must be 13 letters, digits or one of "-._~"'))

/** Whether `text` has the shape of a build id; says nothing about whether such a build exists. */
export function isBuildId(text: string): boolean {
  return BuildId.safeParse(text).success
}

/** Unix-epoch time in milliseconds, UTC. */
export const EpochMs = z.int().check(z.nonnegative())

/**
 * A build as the export stream announces it (docs/services.md#export-build-message). `timestamp` is
 * when the server had received and processed the build, not when it ran. `toolType` is not an
 * enumeration: tools that are unknown here must still be shown.
 */
export const BuildMessage = z.looseObject({
  buildId: BuildId,
  timestamp: EpochMs,
  toolType: z.string().check(z.minLength(1)),
  toolVersion: z.string(),
  agentVersion: z.string(),
})
export type BuildMessage = z.infer<typeof BuildMessage>

/** The same in version 1, which knows builds of Gradle only (docs/services.md#export-versions). */
export const BuildMessageV1 = z.looseObject({
  buildId: BuildId,
  timestamp: EpochMs,
  gradleVersion: z.string(),
  pluginVersion: z.string(),
})
export type BuildMessageV1 = z.infer<typeof BuildMessageV1>

/**
 * Decodes the data of a `Build` message of either version into version 2. Version 1 is recognised
 * by its field names, so that a stream may be read without knowing what the server speaks. Throws
 * a ZodError that names the wrong keys.
 */
export function decodeBuildMessage(data: unknown): BuildMessage {
  const v1 = BuildMessageV1.safeParse(data)
  return v1.success && !(isObject(data) && 'toolType' in data)
    ? toVersion2(v1.data)
    : BuildMessage.parse(data)
}

/** Migrates a message (docs/services.md#export-versions): renamed fields, and the one tool of version 1. */
export function toVersion2(v1: BuildMessageV1): BuildMessage {
  const { gradleVersion, pluginVersion, ...same } = v1
  return { ...same, toolType: 'gradle', toolVersion: gradleVersion, agentVersion: pluginVersion }
}

/** The way back, for a server that still answers version 1 requests. */
export function toVersion1(build: BuildMessage): BuildMessageV1 {
  const { toolType: _gradle, toolVersion, agentVersion, ...same } = build
  return { ...same, gradleVersion: toolVersion, pluginVersion: agentVersion }
}

/** A field that could not be read, and why; holds nothing of its value. */
export interface FieldFault {
  readonly field: string
  readonly reason: string
}

/** A build with what could be read of it, or the field without which it is of no use. */
export type ReadBuildMessage =
  | { readonly ok: true; readonly build: BuildMessage; readonly faults: readonly FieldFault[] }
  | { readonly ok: false; readonly fault: FieldFault }

/** As `decodeBuildMessage`, but an unreadable field costs itself alone, unless it is the id or the time. */
export function readBuildMessage(data: unknown): ReadBuildMessage {
  if (!isObject(data)) return refused('data', 'is not an object')
  const { gradleVersion, pluginVersion, ...same }: Record<string, unknown> = { ...data }
  const isV1 = !('toolType' in same) && (gradleVersion ?? pluginVersion) !== undefined
  const given: Record<string, unknown> = isV1
    ? { ...same, toolType: 'gradle', toolVersion: gradleVersion, agentVersion: pluginVersion }
    : { ...data }
  const id = BuildId.safeParse(given.buildId)
  if (!id.success) return refused('buildId', 'is not 13 letters, digits or "-._~"')
  const timestamp = readTime(given.timestamp)
  if (timestamp === undefined) return refused('timestamp', 'is not a time')
  const faults: FieldFault[] = []
  const textOf = (field: string, otherwise: string): string => {
    const value = given[field]
    if (typeof value === 'string' && (value !== '' || otherwise === '')) return value
    if (typeof value === 'number') return String(value)
    faults.push({ field, reason: `is ${kindOf(value)}, not a text` })
    return otherwise
  }
  const build: BuildMessage = {
    ...given,
    buildId: id.data,
    timestamp,
    toolType: textOf('toolType', 'unknown'),
    toolVersion: textOf('toolVersion', ''),
    agentVersion: textOf('agentVersion', ''),
  }
  return { ok: true, build, faults }
}

/** A time as epoch ms: a number, its digits as a text, or an ISO date. */
function readTime(value: unknown): number | undefined {
  const number =
    typeof value !== 'string'
      ? value
      : /^\d{1,16}(?:\.\d+)?$/.test(value)
        ? Number(value)
        : parseTime(value)
  // No date is later than this (ECMA-262 section 21.4.1.1).
  const isTime = typeof number === 'number' && number >= 0 && number <= 8.64e15
  return isTime ? Math.floor(number) : undefined
}

function refused(field: string, reason: string): ReadBuildMessage {
  return { ok: false, fault: { field, reason } }
}

/** What a value is, in a word that holds nothing of it. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (value === '') return 'empty'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
