import type { Field, FieldType, SearchTool } from './field.ts'

/** Fields of one kind: every tool of the row has every name, with its one line of meaning. */
interface Row {
  readonly tools: readonly SearchTool[]
  /** What stands between the tool and the name, with its dot. */
  readonly group?: string
  readonly type: FieldType
  readonly since?: string
  readonly until?: string
  /** The full name without the tool. */
  readonly replacedBy?: string
  readonly values?: readonly string[]
  readonly meanings: Readonly<Record<string, string>>
}

const cached: readonly SearchTool[] = ['gradle', 'maven']
const jvm: readonly SearchTool[] = ['gradle', 'maven', 'sbt']

/** See docs/services.md#tool-fields and docs/services.md#field-releases. */
const rows: readonly Row[] = [
  {
    tools: ['gradle'],
    type: 'text',
    meanings: {
      pluginVersion: 'Version of the plugin that reported the build',
      requestedTasks: 'Requested tasks',
      rootProjectName: 'Name of the root project',
    },
  },
  {
    tools: ['maven'],
    type: 'text',
    meanings: {
      extensionVersion: 'Version of the extension that reported the build',
      requestedGoals: 'Requested goals',
      topLevelProjectName: 'Name of the top-level project',
    },
  },
  { tools: ['bazel'], type: 'text', meanings: { requestedTargets: 'Requested targets' } },
  {
    tools: ['sbt'],
    type: 'text',
    since: '2023.3',
    meanings: {
      pluginVersion: 'Version of the plugin that reported the build',
      requestedTasks: 'Requested tasks',
      rootProjectName: 'Name of the root project',
    },
  },
  {
    tools: ['npm', 'python'],
    type: 'text',
    since: '2024.3.1',
    meanings: {
      agentVersion: 'Version of the agent that reported the build',
      requestedCommands: 'Requested commands',
      projectName: 'Name of the project',
    },
  },
  {
    tools: cached,
    group: 'buildCache.',
    type: 'boolean',
    meanings: { hasError: 'The build cache reported an error' },
  },
  {
    tools: cached,
    group: 'buildCache.',
    type: 'boolean',
    since: '2024.1.1',
    meanings: {
      'local.enabled': 'Local build cache enabled',
      'remote.enabled': 'Remote build cache enabled',
      'remote.pushEnabled': 'Pushing to the remote build cache enabled',
    },
  },
  {
    tools: ['gradle'],
    group: 'buildOptions.',
    type: 'boolean',
    since: '2023.4',
    meanings: {
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
    },
  },
  {
    tools: ['gradle'],
    group: 'buildOptions.',
    type: 'boolean',
    since: '2024.2',
    meanings: { isolatedProjectsEnabled: 'Isolated projects enabled' },
  },
  {
    tools: ['gradle'],
    group: 'buildOptions.',
    type: 'number',
    since: '2023.4',
    meanings: { maxNumberOfGradleWorkers: 'Maximum number of workers (--max-workers)' },
  },
  {
    tools: ['maven'],
    group: 'buildOptions.',
    type: 'boolean',
    since: '2023.4',
    meanings: {
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
    },
  },
  {
    tools: ['maven'],
    group: 'buildOptions.',
    type: 'number',
    since: '2023.4',
    meanings: { maxNumberOfThreads: 'Maximum number of threads (--threads)' },
  },
  {
    tools: ['sbt'],
    group: 'buildOptions.',
    type: 'boolean',
    since: '2023.4',
    meanings: {
      interactiveModeEnabled: 'Ran in the interactive shell',
      offlineModeEnabled: 'Offline mode',
      parallelExecutionEnabled: 'Parallel execution enabled',
      semanticDbScalacPluginEnabled: 'SemanticDB compiler plugin enabled',
      turboEnabled: 'Turbo mode enabled',
      useCoursierEnabled: 'Dependencies fetched by Coursier',
    },
  },
  {
    tools: ['gradle'],
    group: 'configurationCache.',
    type: 'text',
    since: '2024.3',
    values: ['hit', 'miss', 'failed'],
    meanings: { outcome: 'Result of the configuration cache; no value if it was disabled' },
  },
  {
    tools: ['maven'],
    group: 'platformSettings.',
    type: 'boolean',
    since: '2024.1.1',
    meanings: { buildCacheEnabled: 'Build cache enabled' },
  },
  {
    tools: jvm,
    group: 'platformSettings.',
    type: 'boolean',
    since: '2023.4',
    meanings: {
      backgroundPublicationEnabled: 'Background publication enabled',
      buildOutputCapturingEnabled: 'Build output captured',
    },
  },
  {
    tools: cached,
    group: 'platformSettings.',
    type: 'boolean',
    since: '2023.4',
    meanings: { testOutputCapturingEnabled: 'Test output captured' },
  },
  {
    tools: cached,
    group: 'platformSettings.',
    type: 'boolean',
    since: '2024.2',
    meanings: { fileFingerprintCapturingEnabled: 'Input file fingerprints captured' },
  },
  {
    tools: jvm,
    group: 'platformSettings.',
    type: 'boolean',
    since: '2024.2',
    meanings: { resourceUsageCapturingEnabled: 'Resource usage captured' },
  },
  {
    tools: ['gradle'],
    group: 'platformSettings.',
    type: 'boolean',
    since: '2023.4',
    until: '2024.1.6',
    replacedBy: 'platformSettings.fileFingerprintCapturingEnabled',
    meanings: { taskInputsFileCapturingEnabled: 'Task input files captured' },
  },
  {
    tools: ['maven'],
    group: 'platformSettings.',
    type: 'boolean',
    since: '2023.4',
    until: '2024.1.6',
    replacedBy: 'platformSettings.fileFingerprintCapturingEnabled',
    meanings: { goalInputsFileCapturingEnabled: 'Goal input files captured' },
  },
  {
    tools: jvm,
    group: 'environment.',
    type: 'text',
    since: '2023.4',
    meanings: {
      jreVersion: 'Java runtime vendor, name and version',
      jvmCharset: 'JVM character set',
      jvmLocale: 'JVM locale',
      jvmVersion: 'JVM vendor, name and version',
      localIPAddress: 'Local IP address',
      localHostname: 'Local hostname',
    },
  },
  {
    tools: jvm,
    group: 'environment.',
    type: 'size',
    since: '2023.4',
    meanings: { jvmMaxMemoryHeapSize: 'Maximum JVM heap size' },
  },
  {
    tools: jvm,
    group: 'environment.',
    type: 'text',
    since: '2023.4',
    meanings: { operatingSystem: 'Operating system name and version' },
  },
  {
    tools: jvm,
    group: 'environment.',
    type: 'number',
    since: '2023.4',
    meanings: { numberOfCpuCores: 'Number of CPU cores' },
  },
  {
    tools: ['npm'],
    group: 'environment.',
    type: 'text',
    since: '2024.3.1',
    meanings: {
      nodeVersion: 'Node.js version',
      nodeLocale: 'Node.js locale',
    },
  },
  {
    tools: ['python'],
    group: 'environment.',
    type: 'text',
    since: '2024.3.1',
    meanings: { locale: 'Python locale' },
  },
  {
    tools: ['npm', 'python'],
    group: 'environment.',
    type: 'text',
    since: '2024.3.1',
    meanings: { operatingSystem: 'Operating system name and version' },
  },
  {
    tools: ['npm', 'python'],
    group: 'environment.',
    type: 'number',
    since: '2024.3.1',
    meanings: { numberOfCpuCores: 'Number of CPU cores' },
  },
]

const order: readonly SearchTool[] = ['gradle', 'maven', 'bazel', 'sbt', 'npm', 'python']

/** The fields that only builds of one tool have, tool by tool. */
export const toolFields: readonly Field[] = order.flatMap((tool) =>
  rows.filter(({ tools }) => tools.includes(tool)).flatMap((row) => fieldsOf(tool, row)),
)

function fieldsOf(tool: SearchTool, row: Row): Field[] {
  const { tools: _, group = '', meanings, replacedBy, ...same } = row
  return Object.entries(meanings).map(([name, meaning]) => ({
    name: `${tool}.${group}${name}`,
    tool,
    meaning,
    ...same,
    ...(replacedBy === undefined ? {} : { replacedBy: `${tool}.${replacedBy}` }),
  }))
}
