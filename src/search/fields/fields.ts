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
const toolFields: readonly Field[] = order.flatMap((tool) =>
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
