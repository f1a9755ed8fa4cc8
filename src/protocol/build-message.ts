import * as z from 'zod/mini'

/**
 * The 13-character identifier of a build (docs/services.md#export-build-ids). The alphabet is
 * lower-case letters and digits: what every recorded server uses, and what may stand in a path
 * without escaping.
 */
export const BuildId = z
  .string()
  .check(z.regex(/^[a-z0-9]{13}$/, 'must be 13 lower-case letters or digits'))

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

/**
 * What docs/services.md#export-versions calls migrating: renamed fields and the one tool that
 * version 1 has.
 */
export function toVersion2(v1: BuildMessageV1): BuildMessage {
  const { gradleVersion, pluginVersion, ...same } = v1
  return { ...same, toolType: 'gradle', toolVersion: gradleVersion, agentVersion: pluginVersion }
}

/** The way back, for a server that still answers version 1 requests. */
export function toVersion1(build: BuildMessage): BuildMessageV1 {
  const { toolType: _gradle, toolVersion, agentVersion, ...same } = build
  return { ...same, gradleVersion: toolVersion, pluginVersion: agentVersion }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
