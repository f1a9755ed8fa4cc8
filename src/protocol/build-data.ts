import * as z from 'zod/mini'
import {
  BuildId,
  type BuildMessage,
  EpochMs,
  type FieldFault,
  readBuildMessage,
  type ReadBuildMessage,
} from './build-message.ts'
import { ProblemDetail } from './problem.ts'
import { type OnUnreadable, readFields } from './read-fields.ts'

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

/** What an access token is to be allowed, as far as it differs from its maker. */
export interface AccessTokenRequest {
  /** By configuration value (docs/services.md#permissions). */
  readonly permissions?: readonly string[]
  readonly projectIds?: readonly string[]
  /** More than 0, at most 24. */
  readonly expiresInHours?: number
}

/** Where a short-lived access token is made (docs/services.md#access-tokens). */
export function accessTokenPath(request: AccessTokenRequest = {}): string {
  const { permissions = [], projectIds = [], expiresInHours } = request
  const search = new URLSearchParams([
    ...permissions.map((permission) => ['permissions', permission]),
    ...projectIds.map((id) => ['projectIds', id]),
    ...(expiresInHours === undefined ? [] : [['expiresInHours', String(expiresInHours)]]),
  ])
  return search.size === 0 ? '/api/auth/token' : `/api/auth/token?${search.toString()}`
}

/** The tools whose attributes the build data API offers (docs/services.md#build-models). */
export const toolsWithAttributes = ['gradle', 'maven', 'bazel', 'sbt', 'npm', 'python'] as const
export type ToolWithAttributes = (typeof toolsWithAttributes)[number]

/**
 * The tools of which servers were able to give attributes with the list over time, the newest first
 * (docs/services.md#server-releases); a server refuses a request that names a model which it does
 * not have.
 */
export const toolsOverTime: readonly (readonly ToolWithAttributes[])[] = [
  toolsWithAttributes,
  ['gradle', 'maven', 'bazel', 'npm', 'python'],
  ['gradle', 'maven', 'bazel'],
  [],
]

/** A query that every server which searches understands. */
export const plainestQuery = 'buildTool:gradle'

/** And one that no build matches: a server that has some does not search. */
export const impossibleQuery = 'buildStartTime:[1969-01-01T00:00:00Z to 1969-01-02T00:00:00Z]'

/** The `models` value of a request for a tool's attributes, such as `gradle-attributes`. */
export function attributesModel(tool: ToolWithAttributes): `${ToolWithAttributes}-attributes` {
  return `${tool}-attributes`
}

/** Under which key the answer carries them, such as `gradleAttributes`. */
export function attributesKey(tool: ToolWithAttributes): `${ToolWithAttributes}Attributes` {
  return `${tool}Attributes`
}

/** The tools whose use of the build cache it offers (docs/services.md#build-cache-performance). */
export const toolsWithCache = ['gradle', 'maven'] as const
export type ToolWithCache = (typeof toolsWithCache)[number]

/** The `models` value of a request for it, and under which key the answer carries it. */
export function cacheModel(tool: ToolWithCache): `${ToolWithCache}-build-cache-performance` {
  return `${tool}-build-cache-performance`
}
export function cacheKey(tool: ToolWithCache): `${ToolWithCache}BuildCachePerformance` {
  return `${tool}BuildCachePerformance`
}

const named = z.array(z.looseObject({ name: z.string(), value: z.nullish(z.string()) }))
const links = z.array(z.looseObject({ label: z.string(), url: z.string() }))
const flags = z.record(z.string(), z.unknown())

/** What the attributes of every tool share. Times are epoch ms, durations ms. */
const common = {
  buildStartTime: z.nullish(z.number()),
  buildDuration: z.nullish(z.number()),
  /** Absent for some tools, whose exit code decides. */
  hasFailed: z.nullish(z.boolean()),
  /** Only set for failed builds. */
  hasVerificationFailure: z.nullish(z.boolean()),
  hasNonVerificationFailure: z.nullish(z.boolean()),
  exitCode: z.nullish(z.number()),
  /** Of Python: what ended it. */
  exception: z.nullish(z.string()),
  tags: z.nullish(z.array(z.string())),
  values: z.nullish(named),
  links: z.nullish(links),
  buildOptions: z.nullish(flags),
  environment: z.nullish(flags),
  develocitySettings: z.nullish(flags),
  /** Bazel, npm and Python name the person and the machine here, the others in `environment`. */
  user: z.nullish(z.string()),
  host: z.nullish(z.string()),
}

/** A command as a line (Bazel), as words (Python), or as its name and arguments (npm). */
const command = z.union([
  z.string(),
  z.array(z.string()),
  z.looseObject({ command: z.nullish(z.string()), arguments: z.nullish(z.array(z.string())) }),
])

/** The attributes of a build of any tool: each has its own names for project and work, and all are optional. */
export const Attributes = z.looseObject({
  ...common,
  rootProjectName: z.nullish(z.string()),
  requestedTasks: z.nullish(z.array(z.string())),
  topLevelProjectName: z.nullish(z.string()),
  requestedGoals: z.nullish(z.array(z.string())),
  moduleName: z.nullish(z.string()),
  workspaceName: z.nullish(z.string()),
  targetPatterns: z.nullish(z.array(z.string())),
  requestedCommands: z.nullish(z.array(z.string())),
  packageName: z.nullish(z.string()),
  projectName: z.nullish(z.string()),
  command: z.nullish(command),
})
export type Attributes = z.infer<typeof Attributes>

/** The attributes that can be read, and the names of those that can't. */
export interface ReadAttributes {
  readonly attributes: Attributes
  readonly unread: ReadonlySet<string>
}

const Model = z.record(z.string(), z.unknown())
const AttributeModel = z.extend(Attributes, {
  // No date is later (ECMA-262 section 21.4.1.1).
  buildStartTime: z.nullish(EpochMs.check(z.maximum(8.64e15))),
  // No build takes longer than a year.
  buildDuration: z.nullish(z.number().check(z.nonnegative(), z.maximum(366 * 86_400_000))),
})
const optionalText = z.nullish(z.string())
const Environment = z.looseObject({
  username: optionalText,
  publicHostname: optionalText,
  localHostname: optionalText,
})

/** Reads attributes field by field: what has another shape is reported and left out. Undefined for no object. */
export function readAttributes(
  model: unknown,
  onUnreadable: OnUnreadable,
): ReadAttributes | undefined {
  const decoded = Model.safeParse(model)
  if (!decoded.success) return undefined
  const unread = new Set<string>()
  const report: OnUnreadable = (unreadable) => {
    unread.add(unreadable.field)
    onUnreadable(unreadable)
  }
  const attributes = readFields(AttributeModel, decoded.data, '', report) ?? {}
  const environment = readFields(Environment, attributes.environment ?? {}, 'environment', report)
  return { attributes: { ...attributes, environment }, unread }
}

/** A model of a build, or why there is none: asking a Maven build for Gradle's is no fault. */
const ModelOrProblem = z.looseObject({
  model: z.optional(z.unknown()),
  problem: z.optional(ProblemDetail),
})

/** What a build list answers where `models` were asked for, by key (see `attributesKey`). */
export const Models = z.record(z.string(), ModelOrProblem)
export type Models = z.infer<typeof Models>

/** An element of the build list (docs/services.md#build-summary); `models` only where they were asked for. */
export const BuildSummary = z.looseObject({
  id: BuildId,
  availableAt: EpochMs,
  buildToolType: z.string().check(z.minLength(1)),
  buildToolVersion: z.string(),
  buildAgentVersion: z.string(),
  models: z.optional(Models),
})
export type BuildSummary = z.infer<typeof BuildSummary>

/** Made once: making a schema takes longer than reading a build by it. */
const ByKey = z.record(z.string(), z.unknown())

/** As `readBuildMessage`, for an element of the build list; faults name its own fields. */
export function readBuildSummary(data: unknown): ReadBuildMessage {
  const summary = ByKey.safeParse(data)
  const named = Object.entries(summaryFields)
  const read = readBuildMessage(
    summary.success
      ? Object.fromEntries(named.map(([field, name]) => [field, summary.data[name]]))
      : data,
  )
  const names = new Map(named)
  const renamed = ({ field, reason }: FieldFault): FieldFault => ({
    field: names.get(field) ?? field,
    reason,
  })
  return read.ok
    ? { ...read, faults: read.faults.map(renamed) }
    : { ok: false, fault: renamed(read.fault) }
}

/**
 * An element of the build list, field by field: what has another shape than the known ones is reported and costs itself alone.
 * Undefined, with `isLost`, where it does not even say which build and when.
 */
export function readListedBuild(
  data: unknown,
  onUnreadable: (fault: FieldFault, isLost: boolean) => void,
): BuildSummary | undefined {
  const read = readBuildSummary(data)
  for (const fault of read.ok ? read.faults : [read.fault]) onUnreadable(fault, !read.ok)
  if (!read.ok) return undefined
  const given = ByKey.safeParse(data).data?.models
  const models = given === undefined ? undefined : readModels(given, onUnreadable)
  return { ...toBuildSummary(read.build), ...(models === undefined ? {} : { models }) }
}

function readModels(
  given: unknown,
  onUnreadable: (fault: FieldFault, isLost: boolean) => void,
): Models | undefined {
  const each = ByKey.safeParse(given)
  if (!each.success) {
    onUnreadable({ field: 'models', reason: 'is not an object' }, false)
    return undefined
  }
  return Object.fromEntries(
    Object.entries(each.data).flatMap(([key, value]) => {
      const one = ModelOrProblem.safeParse(value)
      if (one.success) return [[key, one.data]]
      onUnreadable({ field: `models.${key}`, reason: 'is neither a model nor a problem' }, false)
      return []
    }),
  )
}

const summaryFields: Readonly<Record<string, string>> = {
  buildId: 'id',
  timestamp: 'availableAt',
  toolType: 'buildToolType',
  toolVersion: 'buildToolVersion',
  agentVersion: 'buildAgentVersion',
}

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

/**
 * Whether a page of the list begins with the oldest builds, whatever was asked for; single builds may be out of order. One
 * of a single moment has no order: then `since`, the first build from a time on (epoch ms), shows whether more came after it,
 * and `again`, the page as it is then, whether it begins with them, as they may have come just now.
 */
export async function isAscending(
  builds: readonly BuildSummary[],
  {
    since,
    again,
  }: {
    readonly since: (time: number) => Promise<readonly BuildSummary[]>
    readonly again: () => Promise<readonly BuildSummary[]>
  },
): Promise<boolean> {
  const ascents = ascentsOf(builds)
  if (ascents !== 0 || builds.length === 0) return ascents > 0
  const last = Math.max(...builds.map(({ availableAt }) => availableAt))
  // Whether `since` includes its time is unspecified.
  for (const time of [last + 1, last]) {
    if (!(await since(time)).some(({ availableAt }) => availableAt > last)) continue
    const page = await again()
    const order = ascentsOf(page)
    return order === 0 ? !page.some(({ availableAt }) => availableAt > last) : order > 0
  }
  return false
}

/** Below 0 where the newest builds come first, above 0 where the oldest do. */
function ascentsOf(builds: readonly BuildSummary[]): number {
  return builds.reduce(
    (ascents, { availableAt }, index) =>
      ascents + Math.sign(availableAt - (builds[index - 1]?.availableAt ?? availableAt)),
    0,
  )
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
