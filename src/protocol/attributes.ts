import { z } from 'zod'
import { ProblemDetail } from './problem.ts'

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
