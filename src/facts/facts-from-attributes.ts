import {
  type Attributes,
  attributesKey,
  type Models,
  readAttributes,
  type ReadAttributes,
  toolsWithAttributes,
  type ToolWithAttributes,
} from '../protocol/build-data.ts'
import type { BuildMessage } from '../protocol/build-message.ts'
import type { Facts } from '../protocol/facts.ts'
import type { OnUnreadable } from '../protocol/read-fields.ts'
import { factsFailure } from './insight/failure-text.ts'
import { factsOfMessage } from './merged-facts.ts'

/**
 * What the attributes of a build say (docs/services.md#build-attributes). `models` is the answer
 * to a request for the attributes of every tool: the ones of other tools hold a problem, which is
 * no fault. Where no model can be read the facts are those of the announcement alone. A field that
 * cannot be read is reported and not known; one that is absent is known to have no value. Times are
 * epoch ms, durations ms.
 */
export function factsFromAttributes(
  build: BuildMessage,
  models: Models,
  onUnreadable: OnUnreadable = () => undefined,
): Facts {
  for (const tool of toolsWithAttributes) {
    const key = attributesKey(tool)
    const model = models[key]?.model
    if (model === undefined || model === null) continue
    const read = readAttributes(model, onUnreadable)
    if (read !== undefined) return { ...factsOfMessage(build), ...factsOf(tool, read) }
    onUnreadable({ field: key, reason: 'expected object' })
  }
  return factsOfMessage(build)
}

/** What the fields are, with null where all that could say it was read and does not. */
function factsOf(tool: ToolWithAttributes, { attributes, unread }: ReadAttributes): Partial<Facts> {
  const outcome = outcomeOf(attributes)
  const environment = attributes.environment ?? {}
  const orNone = <Value>(value: Value | null | undefined, ...sources: readonly string[]) =>
    value ?? (sources.some((source) => unread.has(source)) ? undefined : null)
  const hostname = text(environment.publicHostname) ?? text(environment.localHostname)
  const values = attributes.values?.map(({ name, value }) => ({ name, value: value ?? '' }))
  return {
    user: orNone(
      text(environment.username) ?? attributes.user,
      ...['environment', 'environment.username', 'user'],
    ),
    hostname: orNone(
      hostname ?? attributes.host,
      ...['environment', 'environment.publicHostname', 'environment.localHostname', 'host'],
    ),
    project: orNone(
      projectNames.map((name) => attributes[name]).find((name) => typeof name === 'string'),
      ...projectNames,
    ),
    requested: requestedOf(tool, attributes),
    tags: attributes.tags ?? (unread.has('tags') ? undefined : []),
    values: values ?? (unread.has('values') ? undefined : []),
    outcome,
    durationMs: attributes.buildDuration,
    startTime: epochMs(attributes.buildStartTime),
    // The attributes say it of failed builds only; of the others it is false by definition.
    hasVerificationFailure: outcome === 'succeeded' ? false : attributes.hasVerificationFailure,
    hasNonVerificationFailure:
      outcome === 'succeeded' ? false : attributes.hasNonVerificationFailure,
    ...failureOf(tool, attributes, outcome),
    fields: attributeFields(tool, attributes),
  }
}

/** Bazel, npm and Python say no more of why than this; of Gradle, Maven and sbt events do. */
function failureOf(
  tool: ToolWithAttributes,
  { exitCode, exception }: Attributes,
  outcome: Facts['outcome'],
): Pick<Facts, 'failure'> {
  if (outcome !== 'failed') return {}
  if (typeof exception === 'string' && exception.trim() !== '') {
    return { failure: factsFailure({ message: exception.trim() }) }
  }
  if (typeof exitCode !== 'number') return {}
  const meaning = tool === 'bazel' ? bazelExits.get(exitCode) : undefined
  const message = `Exit code ${exitCode}${meaning === undefined ? '' : `: ${meaning}`}`
  return { failure: { message } }
}

/** https://bazel.build/run/scripts#exit-codes */
const bazelExits: ReadonlyMap<number, string> = new Map([
  [1, 'build failed'],
  [2, 'command line problem'],
  [3, 'some tests failed or timed out'],
  [4, 'no tests were found'],
  [8, 'interrupted'],
  [9, 'server lock held'],
  [32, 'external environment failure'],
  [33, 'out of memory'],
  [34, 'remote error'],
  [36, 'local environment problem'],
  [37, 'internal Bazel error'],
  [38, 'publishing results failed'],
  [39, 'remote cache evicted blobs'],
  [45, 'publishing results failed'],
])

function outcomeOf({ hasFailed, exitCode }: Attributes): Facts['outcome'] {
  const failed = hasFailed ?? (typeof exitCode === 'number' ? exitCode !== 0 : undefined)
  if (failed === undefined) return undefined
  return failed ? 'failed' : 'succeeded'
}

const projectNames = [
  ...(['rootProjectName', 'topLevelProjectName', 'packageName'] as const),
  ...(['projectName', 'moduleName', 'workspaceName'] as const),
]

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
  const words = Array.isArray(command)
    ? command
    : [command?.command, ...(command?.arguments ?? [])].filter((word) => typeof word === 'string')
  return words.length === 0 ? undefined : [words.join(' ')]
}

/** The published examples give seconds where ms are documented; no build ran before 1973. */
function epochMs(time: number | null | undefined): number | null | undefined {
  return typeof time === 'number' && time > 0 && time < 1e11 ? time * 1000 : time
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

type Fields = NonNullable<Facts['fields']>

/**
 * The tool-specific fields (docs/services.md#tool-fields) by their full name, from a tool's
 * attributes. Settings of the server are named `platformSettings`, as there. An attribute that
 * the family does not have is left out, and so is a list of which it has none.
 */
function attributeFields(tool: ToolWithAttributes, attributes: Attributes): Fields {
  const fields: Fields = {}
  const put = (name: string, value: unknown): void => {
    if (isFieldValue(value) || (listFields.has(name) && isTexts(value))) {
      fields[`${tool}.${name}`] = value
    }
  }
  put(
    'rootProjectName',
    tool === 'gradle' || tool === 'sbt' ? attributes.rootProjectName : undefined,
  )
  put('topLevelProjectName', tool === 'maven' ? attributes.topLevelProjectName : undefined)
  put('projectName', tool === 'python' ? attributes.projectName : attributes.packageName)
  for (const [from, to] of versionNames[tool]) put(to, attributes[from])
  for (const [from, value] of Object.entries(attributes.buildOptions ?? {})) {
    put(`buildOptions.${optionNames.get(from) ?? from}`, value)
  }
  for (const [name, value] of Object.entries(attributes.develocitySettings ?? {})) {
    put(`platformSettings.${name}`, value)
  }
  for (const [from, value] of Object.entries(attributes.environment ?? {})) {
    if (!notFields.has(from))
      put(`environment.${from === 'localIpAddresses' ? 'localIPAddress' : from}`, only(value))
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
const optionNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    parallelProjectExecutionEnabled: 'parallelProjectExecution',
    noSnapshotsUpdatesEnabled: 'noSnapshotUpdatesEnabled',
    rerunGoals: 'rerunGoalsEnabled',
  }),
)

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

/** Fields with as many values as the build has: one of them has to match. */
const listFields: ReadonlySet<string> = new Set(['environment.localIPAddress'])

function only(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}

function isFieldValue(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
