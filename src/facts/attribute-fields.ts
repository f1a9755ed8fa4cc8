import type { Attributes, ToolWithAttributes } from '../protocol/attributes.ts'

type Fields = Record<string, string | number | boolean | null>

/**
 * The tool-specific fields (docs/services.md#tool-fields) by their full name, from a tool's
 * attributes. Settings of the server are named `platformSettings`, as there. An attribute that
 * the family does not have is left out, and so is one with several values.
 */
export function attributeFields(tool: ToolWithAttributes, attributes: Attributes): Fields {
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
