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
      requestedTasks: 'Tasks that were asked for',
      rootProjectName: 'Name of the root project',
    },
  },
  {
    tools: ['maven'],
    type: 'text',
    meanings: {
      extensionVersion: 'Version of the extension that reported the build',
      requestedGoals: 'Goals that were asked for',
      topLevelProjectName: 'Name of the top-level project',
    },
  },
  { tools: ['bazel'], type: 'text', meanings: { requestedTargets: 'Targets that were asked for' } },
  {
    tools: ['sbt'],
    type: 'text',
    since: '2023.3',
    meanings: {
      pluginVersion: 'Version of the plugin that reported the build',
      requestedTasks: 'Tasks that were asked for',
      rootProjectName: 'Name of the root project',
    },
  },
  {
    tools: ['npm', 'python'],
    type: 'text',
    since: '2024.3.1',
    meanings: {
      agentVersion: 'Version of the agent that reported the build',
      requestedCommands: 'Commands that were asked for',
      projectName: 'Name of the project',
    },
  },
  {
    tools: cached,
    group: 'buildCache.',
    type: 'boolean',
    meanings: { hasError: 'The build cache had an error' },
  },
  {
    tools: cached,
    group: 'buildCache.',
    type: 'boolean',
    since: '2024.1.1',
    meanings: {
      'local.enabled': 'The local build cache was on',
      'remote.enabled': 'The remote build cache was on',
      'remote.pushEnabled': 'Results were stored in the remote build cache',
    },
  },
  {
    tools: ['gradle'],
    group: 'buildOptions.',
    type: 'boolean',
    since: '2023.4',
    meanings: {
      buildCacheEnabled: 'The build cache was on (--build-cache)',
      configurationCacheEnabled: 'The configuration cache was on (--configuration-cache)',
      configurationOnDemandEnabled: 'Only needed projects were configured (--configure-on-demand)',
      continueOnFailureEnabled: 'The build went on after a failure (--continue)',
      continuousBuildEnabled: 'The build ran again at every change (--continuous)',
      daemonEnabled: 'The build ran in a daemon (--daemon)',
      dryRunEnabled: 'Tasks were listed and not run (--dry-run)',
      fileSystemWatchingEnabled: 'The file system was watched (--watch-fs)',
      offlineModeEnabled: 'The network was not used (--offline)',
      parallelProjectExecution: 'Projects were built side by side (--parallel)',
      refreshDependenciesEnabled: 'Dependencies were fetched anew (--refresh-dependencies)',
      rerunTasksEnabled: 'Every task was run, also when up to date (--rerun-tasks)',
    },
  },
  {
    tools: ['gradle'],
    group: 'buildOptions.',
    type: 'boolean',
    since: '2024.2',
    meanings: { isolatedProjectsEnabled: 'Projects were isolated from each other' },
  },
  {
    tools: ['gradle'],
    group: 'buildOptions.',
    type: 'number',
    since: '2023.4',
    meanings: { maxNumberOfGradleWorkers: 'Most workers at the same time (--max-workers)' },
  },
  {
    tools: ['maven'],
    group: 'buildOptions.',
    type: 'boolean',
    since: '2023.4',
    meanings: {
      batchModeEnabled: 'The build asked nothing (--batch-mode)',
      debugEnabled: 'Debug output was shown (--debug)',
      errorsEnabled: 'Errors were shown in full (--errors)',
      failAtEndEnabled: 'The build failed only at its end (--fail-at-end)',
      failFastEnabled: 'The build stopped at the first failure (--fail-fast)',
      failNeverEnabled: 'The build never failed (--fail-never)',
      laxChecksumsEnabled: 'A wrong checksum was only a warning (--lax-checksums)',
      nonRecursiveEnabled: 'Modules were not built (--non-recursive)',
      noSnapshotUpdatesEnabled: 'Snapshots were not updated (--no-snapshot-updates)',
      offlineModeEnabled: 'The network was not used (--offline)',
      quietEnabled: 'Only errors were shown (--quiet)',
      rerunGoalsEnabled: 'Every goal was run, also when it was in the cache',
      strictChecksumsEnabled: 'A wrong checksum failed the build (--strict-checksums)',
      updateSnapshotsEnabled: 'Snapshots were updated (--update-snapshots)',
    },
  },
  {
    tools: ['maven'],
    group: 'buildOptions.',
    type: 'number',
    since: '2023.4',
    meanings: { maxNumberOfThreads: 'Most threads at the same time (--threads)' },
  },
  {
    tools: ['sbt'],
    group: 'buildOptions.',
    type: 'boolean',
    since: '2023.4',
    meanings: {
      interactiveModeEnabled: 'The build ran in the interactive shell',
      offlineModeEnabled: 'The network was not used',
      parallelExecutionEnabled: 'Tasks ran side by side',
      semanticDbScalacPluginEnabled: 'SemanticDB was on in the compiler',
      turboEnabled: 'Turbo mode was on',
      useCoursierEnabled: 'Coursier fetched the dependencies',
    },
  },
  {
    tools: ['gradle'],
    group: 'configurationCache.',
    type: 'text',
    since: '2024.3',
    values: ['hit', 'miss', 'failed'],
    meanings: { outcome: 'What the configuration cache did; no value where it was not on' },
  },
  {
    tools: ['maven'],
    group: 'platformSettings.',
    type: 'boolean',
    since: '2024.1.1',
    meanings: { buildCacheEnabled: 'The build cache was on' },
  },
  {
    tools: jvm,
    group: 'platformSettings.',
    type: 'boolean',
    since: '2023.4',
    meanings: {
      backgroundPublicationEnabled: 'The build was published in the background',
      buildOutputCapturingEnabled: 'Output of the build was captured',
    },
  },
  {
    tools: cached,
    group: 'platformSettings.',
    type: 'boolean',
    since: '2023.4',
    meanings: { testOutputCapturingEnabled: 'Output of tests was captured' },
  },
  {
    tools: cached,
    group: 'platformSettings.',
    type: 'boolean',
    since: '2024.2',
    meanings: { fileFingerprintCapturingEnabled: 'Fingerprints of input files were captured' },
  },
  {
    tools: jvm,
    group: 'platformSettings.',
    type: 'boolean',
    since: '2024.2',
    meanings: { resourceUsageCapturingEnabled: 'Use of processor, memory and disk was captured' },
  },
  {
    tools: ['gradle'],
    group: 'platformSettings.',
    type: 'boolean',
    since: '2023.4',
    until: '2024.1.6',
    replacedBy: 'platformSettings.fileFingerprintCapturingEnabled',
    meanings: { taskInputsFileCapturingEnabled: 'Input files of tasks were captured' },
  },
  {
    tools: ['maven'],
    group: 'platformSettings.',
    type: 'boolean',
    since: '2023.4',
    until: '2024.1.6',
    replacedBy: 'platformSettings.fileFingerprintCapturingEnabled',
    meanings: { goalInputsFileCapturingEnabled: 'Input files of goals were captured' },
  },
  {
    tools: jvm,
    group: 'environment.',
    type: 'text',
    since: '2023.4',
    meanings: {
      jreVersion: 'Java runtime: maker, name and version',
      jvmCharset: 'Character set of the Java virtual machine',
      jvmLocale: 'Language and country of the Java virtual machine',
      jvmVersion: 'Java virtual machine: maker, name and version',
      localIPAddress: 'Local IP address of the machine',
      localHostname: 'Local name of the machine',
    },
  },
  {
    tools: jvm,
    group: 'environment.',
    type: 'size',
    since: '2023.4',
    meanings: { jvmMaxMemoryHeapSize: 'Most memory the Java virtual machine could use' },
  },
  {
    tools: jvm,
    group: 'environment.',
    type: 'text',
    since: '2023.4',
    meanings: { operatingSystem: 'Operating system: name and version' },
  },
  {
    tools: jvm,
    group: 'environment.',
    type: 'number',
    since: '2023.4',
    meanings: { numberOfCpuCores: 'Processor cores of the machine' },
  },
  {
    tools: ['npm'],
    group: 'environment.',
    type: 'text',
    since: '2024.3.1',
    meanings: {
      nodeVersion: 'Version of Node.js',
      nodeLocale: 'Language and country of Node.js',
    },
  },
  {
    tools: ['python'],
    group: 'environment.',
    type: 'text',
    since: '2024.3.1',
    meanings: { locale: 'Language and country of the interpreter' },
  },
  {
    tools: ['npm', 'python'],
    group: 'environment.',
    type: 'text',
    since: '2024.3.1',
    meanings: { operatingSystem: 'Operating system: name and version' },
  },
  {
    tools: ['npm', 'python'],
    group: 'environment.',
    type: 'number',
    since: '2024.3.1',
    meanings: { numberOfCpuCores: 'Processor cores of the machine' },
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
