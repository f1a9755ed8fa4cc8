import {
  Attributes,
  attributesKey,
  type Models,
  toolsWithAttributes,
  type ToolWithAttributes,
} from '../protocol/build-data.ts'
import type { BuildMessage } from '../protocol/build-message.ts'
import type { Facts } from '../protocol/facts.ts'
import { factsOfMessage } from './merged-facts.ts'

/**
 * What the attributes of a build say (docs/services.md#build-attributes). `models` is the answer
 * to a request for the attributes of every tool: the ones of other tools hold a problem, which is
 * no fault. Where no model can be read the facts are those of the announcement alone. Times are
 * epoch ms, durations ms.
 */
export function factsFromAttributes(build: BuildMessage, models: Models): Facts {
  for (const tool of toolsWithAttributes) {
    const decoded = Attributes.safeParse(models[attributesKey(tool)]?.model)
    if (decoded.success) return { ...factsOfMessage(build), ...factsOf(tool, decoded.data) }
  }
  return factsOfMessage(build)
}

function factsOf(tool: ToolWithAttributes, attributes: Attributes): Partial<Facts> {
  const outcome = outcomeOf(attributes)
  const environment = attributes.environment ?? {}
  return {
    user: text(environment.username) ?? attributes.user,
    hostname:
      text(environment.publicHostname) ?? text(environment.localHostname) ?? attributes.host,
    project: projectOf(attributes),
    requested: requestedOf(tool, attributes),
    tags: attributes.tags ?? undefined,
    values: attributes.values?.map(({ name, value }) => ({ name, value: value ?? '' })),
    outcome,
    durationMs: attributes.buildDuration,
    startTime: epochMs(attributes.buildStartTime),
    // The attributes say it of failed builds only; of the others it is false by definition.
    hasVerificationFailure: outcome === 'succeeded' ? false : attributes.hasVerificationFailure,
    hasNonVerificationFailure:
      outcome === 'succeeded' ? false : attributes.hasNonVerificationFailure,
    fields: attributeFields(tool, attributes),
  }
}

function outcomeOf({ hasFailed, exitCode }: Attributes): Facts['outcome'] {
  const failed = hasFailed ?? (typeof exitCode === 'number' ? exitCode !== 0 : undefined)
  if (failed === undefined) return undefined
  return failed ? 'failed' : 'succeeded'
}

/** Null where the build failed before its project was known, undefined where nothing is said. */
function projectOf(attributes: Attributes): string | null | undefined {
  const names = [
    attributes.rootProjectName,
    attributes.topLevelProjectName,
    attributes.packageName,
    attributes.projectName,
    attributes.moduleName,
    attributes.workspaceName,
  ]
  return names.find((name) => typeof name === 'string') ?? names.find((name) => name === null)
}

function requestedOf(tool: ToolWithAttributes, attributes: Attributes): string[] | undefined {
  switch (tool) {
    case 'gradle':
      return attributes.requestedTasks ?? undefined
    case 'maven':
      return attributes.requestedGoals ?? undefined
    case 'sbt':
      return attributes.requestedCommands ?? undefined
    case 'bazel':
      return attributes.targetPatterns ?? undefined
    case 'npm':
    case 'python':
      return commandLine(attributes.command)
  }
}

function commandLine(command: Attributes['command']): string[] | undefined {
  if (typeof command === 'string') return [command]
  const words = [command?.command, ...(command?.arguments ?? [])]
  const line = words.filter((word) => typeof word === 'string').join(' ')
  return line === '' ? undefined : [line]
}

/** The published examples give seconds where ms are documented; no build ran before 1973. */
function epochMs(time: number | null | undefined): number | null | undefined {
  return typeof time === 'number' && time > 0 && time < 1e11 ? time * 1000 : time
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

type Fields = Record<string, string | number | boolean | null>

/**
 * The tool-specific fields (docs/services.md#tool-fields) by their full name, from a tool's
 * attributes. Settings of the server are named `platformSettings`, as there. An attribute that
 * the family does not have is left out, and so is one with several values.
 */
function attributeFields(tool: ToolWithAttributes, attributes: Attributes): Fields {
  const fields: Fields = {}
  const put = (name: string, value: unknown): void => {
    if (isFieldValue(value)) fields[`${tool}.${name}`] = value
  }
  put(
    'rootProjectName',
    tool === 'gradle' || tool === 'sbt' ? attributes.rootProjectName : undefined,
  )
  put('topLevelProjectName', tool === 'maven' ? attributes.topLevelProjectName : undefined)
  put('projectName', tool === 'python' ? attributes.projectName : attributes.packageName)
  for (const [from, to] of versionNames[tool]) put(to, attributes[from])
  for (const [from, value] of Object.entries(attributes.buildOptions ?? {})) {
    put(`buildOptions.${optionNames[from] ?? from}`, value)
  }
  for (const [name, value] of Object.entries(attributes.develocitySettings ?? {})) {
    put(`platformSettings.${name}`, value)
  }
  for (const [from, value] of Object.entries(attributes.environment ?? {})) {
    if (!notFields.has(from)) put(`environment.${environmentNames[from] ?? from}`, only(value))
  }
  for (const [from, to] of plainEnvironmentNames[tool] ?? [])
    put(`environment.${to}`, attributes[from])
  return fields
}

const versionNames: Readonly<Record<ToolWithAttributes, readonly (readonly [string, string])[]>> = {
  gradle: [['pluginVersion', 'pluginVersion']],
  maven: [['extensionVersion', 'extensionVersion']],
  bazel: [],
  sbt: [['pluginVersion', 'pluginVersion']],
  npm: [['npmAgentVersion', 'agentVersion']],
  python: [['pythonAgentVersion', 'agentVersion']],
}

/** Options whose attribute is spelled otherwise than the field. */
const optionNames: Readonly<Record<string, string>> = {
  parallelProjectExecutionEnabled: 'parallelProjectExecution',
  noSnapshotsUpdatesEnabled: 'noSnapshotUpdatesEnabled',
  rerunGoals: 'rerunGoalsEnabled',
}

const environmentNames: Readonly<Record<string, string>> = { localIpAddresses: 'localIPAddress' }

/** Parts of the environment that are generic fields or none. */
const notFields = new Set(['username', 'publicHostname'])

/** The environment of npm and Python builds stands among the attributes themselves. */
const plainEnvironmentNames: Readonly<
  Partial<Record<ToolWithAttributes, readonly (readonly [string, string])[]>>
> = {
  npm: [
    ['nodejsVersion', 'nodeVersion'],
    ['nodejsLocale', 'nodeLocale'],
    ['numberOfCpuCores', 'numberOfCpuCores'],
    ['operatingSystem', 'operatingSystem'],
  ],
  python: [
    ['locale', 'locale'],
    ['numberOfCpuCores', 'numberOfCpuCores'],
    ['operatingSystem', 'operatingSystem'],
  ],
}

function only(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

function isFieldValue(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
