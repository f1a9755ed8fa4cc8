import { z } from 'zod'
import { BuildId, type BuildMessage, EpochMs } from './build-message.ts'
import { ProblemDetail } from './problem.ts'

/** What may be asked of the build list (docs/services.md#build-list-parameters). */
export interface BuildListQuery {
  /** Deprecated, but all that the oldest servers know: epoch ms, 0 is the beginning. */
  readonly since?: number
  readonly sinceBuild?: string
  /** Epoch ms of availability; after it, or before it when reversed. */
  readonly fromInstant?: number
  /** An exclusive cursor that wins over the instant. */
  readonly fromBuild?: string
  /** Newest first. */
  readonly reverse?: boolean
  /** 0 to 1000. */
  readonly maxBuilds?: number
  /** 1 to 20: how long the server may wait for builds to arrive. */
  readonly maxWaitSecs?: number
  readonly query?: string
  readonly models?: readonly string[]
}

/** The address of a page of the build list. */
export function buildListPath(query: BuildListQuery): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query) as [string, unknown][]) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) search.append(key, String(item))
    }
  }
  return search.size === 0 ? '/api/builds' : `/api/builds?${search.toString()}`
}

/** One build of the list, with models where asked for. */
export function buildPath(buildId: string, models: readonly string[] = []): string {
  const search = new URLSearchParams(models.map((model) => ['models', model]))
  return `/api/builds/${buildId}${search.size === 0 ? '' : `?${search.toString()}`}`
}

/** Any authenticated user may ask for it: the cheapest probe of a credential. */
export const versionPath = '/api/version'

/** Where a short-lived access token is made (docs/services.md#access-tokens). */
export function accessTokenPath(expiresInHours?: number): string {
  return `/api/auth/token${expiresInHours === undefined ? '' : `?expiresInHours=${expiresInHours}`}`
}

/** The tools whose attributes the build data API offers (docs/services.md#build-models). */
export const toolsWithAttributes = ['gradle', 'maven', 'bazel', 'sbt', 'npm', 'python'] as const
export type ToolWithAttributes = (typeof toolsWithAttributes)[number]

/** The `models` value of a request for a tool's attributes, such as `gradle-attributes`. */
export function attributesModel(tool: ToolWithAttributes): `${ToolWithAttributes}-attributes` {
  return `${tool}-attributes`
}

/** Under which key the answer carries them, such as `gradleAttributes`. */
export function attributesKey(tool: ToolWithAttributes): `${ToolWithAttributes}Attributes` {
  return `${tool}Attributes`
}

const named = z.array(z.looseObject({ name: z.string(), value: z.string().nullish() }))
const links = z.array(z.looseObject({ label: z.string(), url: z.string() }))
const flags = z.record(z.string(), z.unknown())

/** What the attributes of every tool share. Times are epoch ms, durations ms. */
const common = {
  buildStartTime: z.number().nullish(),
  buildDuration: z.number().nullish(),
  /** Absent for some tools, where the exit code tells. */
  hasFailed: z.boolean().nullish(),
  /** Only set for failed builds. */
  hasVerificationFailure: z.boolean().nullish(),
  hasNonVerificationFailure: z.boolean().nullish(),
  exitCode: z.number().nullish(),
  tags: z.array(z.string()).nullish(),
  values: named.nullish(),
  links: links.nullish(),
  buildOptions: flags.nullish(),
  environment: flags.nullish(),
  develocitySettings: flags.nullish(),
  /** Bazel, npm and Python name the person and the machine here, the others in `environment`. */
  user: z.string().nullish(),
  host: z.string().nullish(),
}

/** A command as a line, or as its name and arguments. */
const command = z.union([
  z.string(),
  z.looseObject({ command: z.string().nullish(), arguments: z.array(z.string()).nullish() }),
])

/**
 * The attributes of a build of any tool. Each tool has its own names for project and requested
 * work; all are optional, as early failures leave them out and tools are added over time.
 */
export const Attributes = z.looseObject({
  ...common,
  rootProjectName: z.string().nullish(),
  requestedTasks: z.array(z.string()).nullish(),
  topLevelProjectName: z.string().nullish(),
  requestedGoals: z.array(z.string()).nullish(),
  moduleName: z.string().nullish(),
  workspaceName: z.string().nullish(),
  targetPatterns: z.array(z.string()).nullish(),
  requestedCommands: z.array(z.string()).nullish(),
  packageName: z.string().nullish(),
  projectName: z.string().nullish(),
  command: command.nullish(),
})
export type Attributes = z.infer<typeof Attributes>

/** A model of a build, or why there is none: asking a Maven build for Gradle's is no fault. */
const ModelOrProblem = z.looseObject({
  model: z.unknown().optional(),
  problem: ProblemDetail.optional(),
})

/** What a build list answers where `models` were asked for, by key (see `attributesKey`). */
export const Models = z.record(z.string(), ModelOrProblem)
export type Models = z.infer<typeof Models>

/**
 * An element of the build list (docs/services.md#build-summary); `models` only where they were
 * asked for.
 */
export const BuildSummary = z.looseObject({
  id: BuildId,
  availableAt: EpochMs,
  buildToolType: z.string().min(1),
  buildToolVersion: z.string(),
  buildAgentVersion: z.string(),
  models: Models.optional(),
})
export type BuildSummary = z.infer<typeof BuildSummary>

/** The same build as the export stream would announce it: one shape for both sources. */
export function toBuildMessage(summary: BuildSummary): BuildMessage {
  return {
    buildId: summary.id,
    timestamp: summary.availableAt,
    toolType: summary.buildToolType,
    toolVersion: summary.buildToolVersion,
    agentVersion: summary.buildAgentVersion,
  }
}

/** And back: what the build list says of a build that the export stream announced. */
export function toBuildSummary(build: BuildMessage): BuildSummary {
  return {
    id: build.buildId,
    availableAt: build.timestamp,
    buildToolType: build.toolType,
    buildToolVersion: build.toolVersion,
    buildAgentVersion: build.agentVersion,
  }
}
