import type { Field, FieldType, SearchTool } from './field.ts'

/** The fields that builds of every tool have (docs/services.md#generic-fields). */
export const genericFields: readonly Field[] = [
  generic('user', 'text', 'User account that ran the build'),
  generic('hostname', 'text', 'Public hostname of the build machine'),
  generic('project', 'text', 'Name of the root project, top-level module or workspace', {
    since: '2023.3',
  }),
  generic('rootProjectName', 'text', 'Name of the root project; now called project', {
    since: '2022.4',
    until: '2023.2.3',
    replacedBy: 'project',
  }),
  generic('requested', 'text', 'Requested tasks, goals or targets'),
  generic('buildTool', 'text', 'Tool that ran the build', {
    values: ['gradle', 'maven', 'bazel', 'sbt', 'npm', 'python'],
  }),
  generic('buildToolVersion', 'text', 'Version of the build tool'),
  generic('value', 'pair', 'Custom values, written name=value'),
  generic('tag', 'text', 'Build tags'),
  generic('buildOutcome', 'text', 'Outcome of the build', { values: ['succeeded', 'failed'] }),
  generic('buildDuration', 'duration', 'How long the build took'),
  generic('buildStartTime', 'instant', 'When the build started'),
  generic(
    'hasVerificationFailure',
    'boolean',
    'Failed with a verification failure, such as a failed test',
    { since: '2024.1' },
  ),
  generic('hasNonVerificationFailure', 'boolean', 'Failed with a non-verification failure', {
    since: '2024.1',
  }),
]

function generic(
  name: string,
  type: FieldType,
  meaning: string,
  more: Pick<Field, 'values' | 'since' | 'until' | 'replacedBy'> = {},
): Field {
  return { name, type, tool: undefined, meaning, ...more }
}

/** Fields of one kind: every tool of the row has every name, with its one line of meaning. */
interface Row extends Pick<Field, 'type' | 'since' | 'until' | 'values'> {
  /** Separated by spaces. */
  readonly tools: string
  /** What stands between the tool and the name, with its dot. */
  readonly group: string
  /** The full name without the tool. */
  readonly replacedBy?: string
  readonly meanings: Readonly<Record<string, string>>
}

function row(
  tools: string,
  group: string,
  type: FieldType,
  since: string,
  meanings: Row['meanings'],
): Row {
  return { tools, group, type, meanings, ...(since === '' ? {} : { since }) }
}

const cached = 'gradle maven'
const jvm = 'gradle maven sbt'

/** See docs/services.md#tool-fields and docs/services.md#field-releases. */
const rows: readonly Row[] = [
  row('gradle', '', 'text', '', {
    pluginVersion: 'Version of the plugin that reported the build',
    requestedTasks: 'Requested tasks',
    rootProjectName: 'Name of the root project',
  }),
  row('maven', '', 'text', '', {
    extensionVersion: 'Version of the extension that reported the build',
    requestedGoals: 'Requested goals',
    topLevelProjectName: 'Name of the top-level project',
  }),
  row('bazel', '', 'text', '', { requestedTargets: 'Requested targets' }),
  row('sbt', '', 'text', '2023.3', {
    pluginVersion: 'Version of the plugin that reported the build',
    requestedTasks: 'Requested tasks',
    rootProjectName: 'Name of the root project',
  }),
  row('npm python', '', 'text', '2024.3.1', {
    agentVersion: 'Version of the agent that reported the build',
    requestedCommands: 'Requested commands',
    projectName: 'Name of the project',
  }),
  row(cached, 'buildCache.', 'boolean', '', { hasError: 'The build cache reported an error' }),
  row(cached, 'buildCache.', 'boolean', '2024.1.1', {
    'local.enabled': 'Local build cache enabled',
    'remote.enabled': 'Remote build cache enabled',
    'remote.pushEnabled': 'Pushing to the remote build cache enabled',
  }),
  row('gradle', 'buildOptions.', 'boolean', '2023.4', {
    buildCacheEnabled: 'Build cache enabled (--build-cache)',
    configurationCacheEnabled: 'Configuration cache enabled (--configuration-cache)',
    configurationOnDemandEnabled: 'Configuration on demand (--configure-on-demand)',
    continueOnFailureEnabled: 'Continue after a failure (--continue)',
    continuousBuildEnabled: 'Continuous build, rerun on every change (--continuous)',
    daemonEnabled: 'Ran in a daemon (--daemon)',
    dryRunEnabled: 'Dry run, tasks only listed (--dry-run)',
    fileSystemWatchingEnabled: 'File system watching enabled (--watch-fs)',
    offlineModeEnabled: 'Offline mode (--offline)',
    parallelProjectExecution: 'Parallel project execution (--parallel)',
    refreshDependenciesEnabled: 'Dependencies refreshed (--refresh-dependencies)',
    rerunTasksEnabled: 'All tasks rerun, even if up to date (--rerun-tasks)',
  }),
  row('gradle', 'buildOptions.', 'boolean', '2024.2', {
    isolatedProjectsEnabled: 'Isolated projects enabled',
  }),
  row('gradle', 'buildOptions.', 'number', '2023.4', {
    maxNumberOfGradleWorkers: 'Maximum number of workers (--max-workers)',
  }),
  row('maven', 'buildOptions.', 'boolean', '2023.4', {
    batchModeEnabled: 'Batch mode, no prompts (--batch-mode)',
    debugEnabled: 'Debug output (--debug)',
    errorsEnabled: 'Full error output (--errors)',
    failAtEndEnabled: 'Fail at the end (--fail-at-end)',
    failFastEnabled: 'Fail at the first failure (--fail-fast)',
    failNeverEnabled: 'Never fail (--fail-never)',
    laxChecksumsEnabled: 'Warn about wrong checksums (--lax-checksums)',
    nonRecursiveEnabled: 'Modules not built (--non-recursive)',
    noSnapshotUpdatesEnabled: 'Snapshot updates disabled (--no-snapshot-updates)',
    offlineModeEnabled: 'Offline mode (--offline)',
    quietEnabled: 'Errors only (--quiet)',
    rerunGoalsEnabled: 'All goals rerun, even if cached',
    strictChecksumsEnabled: 'Fail on wrong checksums (--strict-checksums)',
    updateSnapshotsEnabled: 'Snapshot updates forced (--update-snapshots)',
  }),
  row('maven', 'buildOptions.', 'number', '2023.4', {
    maxNumberOfThreads: 'Maximum number of threads (--threads)',
  }),
  row('sbt', 'buildOptions.', 'boolean', '2023.4', {
    interactiveModeEnabled: 'Ran in the interactive shell',
    offlineModeEnabled: 'Offline mode',
    parallelExecutionEnabled: 'Parallel execution enabled',
    semanticDbScalacPluginEnabled: 'SemanticDB compiler plugin enabled',
    turboEnabled: 'Turbo mode enabled',
    useCoursierEnabled: 'Dependencies fetched by Coursier',
  }),
  {
    ...row('gradle', 'configurationCache.', 'text', '2024.3', {
      outcome: 'Result of the configuration cache; no value if it was disabled',
    }),
    values: ['hit', 'miss', 'failed'],
  },
  row('maven', 'platformSettings.', 'boolean', '2024.1.1', {
    buildCacheEnabled: 'Build cache enabled',
  }),
  row(jvm, 'platformSettings.', 'boolean', '2023.4', {
    backgroundPublicationEnabled: 'Background publication enabled',
    buildOutputCapturingEnabled: 'Build output captured',
  }),
  row(cached, 'platformSettings.', 'boolean', '2023.4', {
    testOutputCapturingEnabled: 'Test output captured',
  }),
  row(cached, 'platformSettings.', 'boolean', '2024.2', {
    fileFingerprintCapturingEnabled: 'Input file fingerprints captured',
  }),
  row(jvm, 'platformSettings.', 'boolean', '2024.2', {
    resourceUsageCapturingEnabled: 'Resource usage captured',
  }),
  {
    ...row('gradle', 'platformSettings.', 'boolean', '2023.4', {
      taskInputsFileCapturingEnabled: 'Task input files captured',
    }),
    until: '2024.1.6',
    replacedBy: 'platformSettings.fileFingerprintCapturingEnabled',
  },
  {
    ...row('maven', 'platformSettings.', 'boolean', '2023.4', {
      goalInputsFileCapturingEnabled: 'Goal input files captured',
    }),
    until: '2024.1.6',
    replacedBy: 'platformSettings.fileFingerprintCapturingEnabled',
  },
  row(jvm, 'environment.', 'text', '2023.4', {
    jreVersion: 'Java runtime vendor, name and version',
    jvmCharset: 'JVM character set',
    jvmLocale: 'JVM locale',
    jvmVersion: 'JVM vendor, name and version',
    localIPAddress: 'Local IP address',
    localHostname: 'Local hostname',
  }),
  row(jvm, 'environment.', 'size', '2023.4', { jvmMaxMemoryHeapSize: 'Maximum JVM heap size' }),
  row(jvm, 'environment.', 'text', '2023.4', {
    operatingSystem: 'Operating system name and version',
  }),
  row(jvm, 'environment.', 'number', '2023.4', { numberOfCpuCores: 'Number of CPU cores' }),
  row('npm', 'environment.', 'text', '2024.3.1', {
    nodeVersion: 'Node.js version',
    nodeLocale: 'Node.js locale',
  }),
  row('python', 'environment.', 'text', '2024.3.1', { locale: 'Python locale' }),
  row('npm python', 'environment.', 'text', '2024.3.1', {
    operatingSystem: 'Operating system name and version',
  }),
  row('npm python', 'environment.', 'number', '2024.3.1', {
    numberOfCpuCores: 'Number of CPU cores',
  }),
]

const order: readonly SearchTool[] = ['gradle', 'maven', 'bazel', 'sbt', 'npm', 'python']

/** The fields that only builds of one tool have, tool by tool. */
const toolFields: readonly Field[] = order.flatMap((tool) =>
  rows.filter(({ tools }) => tools.split(' ').includes(tool)).flatMap((row) => fieldsOf(tool, row)),
)

function fieldsOf(tool: SearchTool, row: Row): Field[] {
  const { tools: _, group, meanings, replacedBy, ...same } = row
  return Object.entries(meanings).map(([name, meaning]) => ({
    name: `${tool}.${group}${name}`,
    tool,
    meaning,
    ...same,
    ...(replacedBy === undefined ? {} : { replacedBy: `${tool}.${replacedBy}` }),
  }))
}

/**
 * All fields of the search language, generic ones first (docs/services.md#advanced-search-syntax).
 */
export const fields: readonly Field[] = [...genericFields, ...toolFields]

const byName = new Map(fields.map((field) => [field.name, field]))
// Real servers have another name for the settings that are the server's own
// (docs/design.md#tool-names).
for (const field of fields) {
  if (field.name.includes('.platformSettings.')) {
    byName.set(field.name.replace('platformSettings', 'develocitySettings'), field)
  }
}

/**
 * The field of this name. Names are case-sensitive; settings of the server have two spellings,
 * `platformSettings` and `develocitySettings`, which are the same field.
 */
export function findField(name: string): Field | undefined {
  return byName.get(name)
}
