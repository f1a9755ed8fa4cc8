import { describe, expect, test } from 'vitest'
import { compareReleases, type FieldType } from './field.ts'
import { fields, findField } from './fields.ts'

const environment = [
  ...['jreVersion', 'jvmCharset', 'jvmLocale', 'jvmVersion', 'localIPAddress', 'localHostname'],
  'operatingSystem',
].map((name) => `environment.${name} S`)
const jvm = [...environment, 'environment.jvmMaxMemoryHeapSize Z', 'environment.numberOfCpuCores N']
const group = (name: string, flags: string) => flags.split(' ').map((flag) => `${name}.${flag} B`)
const buildCache = group('buildCache', 'hasError local.enabled remote.enabled remote.pushEnabled')

/** The lists of docs/services.md#tool-fields. */
const families: Readonly<Record<string, readonly string[]>> = {
  gradle: [
    ...['pluginVersion S', 'requestedTasks S', 'rootProjectName S', ...buildCache, ...jvm],
    ...group(
      'buildOptions',
      'buildCacheEnabled configurationCacheEnabled configurationOnDemandEnabled continueOnFailureEnabled ' +
        'continuousBuildEnabled daemonEnabled dryRunEnabled fileSystemWatchingEnabled isolatedProjectsEnabled ' +
        'offlineModeEnabled parallelProjectExecution refreshDependenciesEnabled rerunTasksEnabled',
    ),
    ...['buildOptions.maxNumberOfGradleWorkers N', 'configurationCache.outcome S'],
    ...group(
      'platformSettings',
      'backgroundPublicationEnabled buildOutputCapturingEnabled fileFingerprintCapturingEnabled ' +
        'resourceUsageCapturingEnabled testOutputCapturingEnabled taskInputsFileCapturingEnabled',
    ),
  ],
  maven: [
    ...['extensionVersion S', 'requestedGoals S', 'topLevelProjectName S', ...buildCache, ...jvm],
    ...group(
      'buildOptions',
      'batchModeEnabled debugEnabled errorsEnabled failAtEndEnabled failFastEnabled failNeverEnabled ' +
        'laxChecksumsEnabled nonRecursiveEnabled noSnapshotUpdatesEnabled offlineModeEnabled quietEnabled ' +
        'rerunGoalsEnabled strictChecksumsEnabled updateSnapshotsEnabled',
    ),
    'buildOptions.maxNumberOfThreads N',
    ...group(
      'platformSettings',
      'buildCacheEnabled backgroundPublicationEnabled buildOutputCapturingEnabled fileFingerprintCapturingEnabled ' +
        'resourceUsageCapturingEnabled testOutputCapturingEnabled goalInputsFileCapturingEnabled',
    ),
  ],
  bazel: ['requestedTargets S'],
  sbt: [
    ...['pluginVersion S', 'requestedTasks S', 'rootProjectName S', ...jvm],
    ...group(
      'buildOptions',
      'interactiveModeEnabled offlineModeEnabled parallelExecutionEnabled semanticDbScalacPluginEnabled ' +
        'turboEnabled useCoursierEnabled',
    ),
    ...group(
      'platformSettings',
      'backgroundPublicationEnabled buildOutputCapturingEnabled resourceUsageCapturingEnabled',
    ),
  ],
  npm: [
    ...['agentVersion S', 'requestedCommands S', 'projectName S', 'environment.nodeVersion S'],
    ...[
      'environment.nodeLocale S',
      'environment.numberOfCpuCores N',
      'environment.operatingSystem S',
    ],
  ],
  python: [
    ...['agentVersion S', 'requestedCommands S', 'projectName S', 'environment.locale S'],
    ...['environment.numberOfCpuCores N', 'environment.operatingSystem S'],
  ],
}

const letters: Readonly<Record<string, FieldType>> = {
  S: 'text',
  B: 'boolean',
  N: 'number',
  Z: 'size',
}

describe('fields', () => {
  test('are the generic ones, with their types', () => {
    const generic = fields.filter(({ tool }) => tool === undefined)
    expect(Object.fromEntries(generic.map(({ name, type }) => [name, type]))).toEqual({
      user: 'text',
      hostname: 'text',
      project: 'text',
      rootProjectName: 'text',
      requested: 'text',
      buildTool: 'text',
      buildToolVersion: 'text',
      value: 'pair',
      tag: 'text',
      buildOutcome: 'text',
      buildDuration: 'duration',
      buildStartTime: 'instant',
      hasVerificationFailure: 'boolean',
      hasNonVerificationFailure: 'boolean',
    })
  })

  test.each(Object.entries(families))(
    'of %s are the documented ones, with their types',
    (tool, rows) => {
      const expected = rows.map((row) => {
        const [name = '', letter = ''] = row.split(' ')
        return [`${tool}.${name}`, letters[letter]]
      })
      const actual = fields
        .filter((field) => field.tool === tool)
        .map(({ name, type }) => [name, type])
      expect(actual.toSorted()).toEqual(expected.toSorted())
    },
  )

  test.each([
    ['project', '2023.3', undefined],
    ['rootProjectName', '2022.4', '2023.2.3'],
    ['hasVerificationFailure', '2024.1', undefined],
    ['user', undefined, undefined],
    ['gradle.buildCache.hasError', undefined, undefined],
    ['gradle.buildOptions.daemonEnabled', '2023.4', undefined],
    ['gradle.buildOptions.isolatedProjectsEnabled', '2024.2', undefined],
    ['gradle.buildCache.remote.pushEnabled', '2024.1.1', undefined],
    ['maven.platformSettings.buildCacheEnabled', '2024.1.1', undefined],
    ['maven.platformSettings.fileFingerprintCapturingEnabled', '2024.2', undefined],
    ['sbt.platformSettings.resourceUsageCapturingEnabled', '2024.2', undefined],
    ['gradle.configurationCache.outcome', '2024.3', undefined],
    ['npm.agentVersion', '2024.3.1', undefined],
    ['python.environment.locale', '2024.3.1', undefined],
    ['gradle.platformSettings.taskInputsFileCapturingEnabled', '2023.4', '2024.1.6'],
    ['maven.platformSettings.goalInputsFileCapturingEnabled', '2023.4', '2024.1.6'],
  ])('%s is there from %s to %s', (name, since, until) => {
    const field = findField(name)
    expect(field).toMatchObject({ name })
    expect([field?.since, field?.until]).toEqual([since, until])
  })

  test('that were replaced name one that came after them', () => {
    const replaced = fields.filter(({ replacedBy }) => replacedBy !== undefined)
    expect(replaced).toHaveLength(3)
    for (const { until = '', replacedBy = '' } of replaced) {
      const { since = '' } = findField(replacedBy) ?? {}
      expect(compareReleases(until, since)).toBeLessThan(0)
    }
  })

  test('of the settings of the server have two spellings', () => {
    const name = 'gradle.platformSettings.buildOutputCapturingEnabled'
    expect(findField(name.replace('platform', 'develocity'))).toBe(findField(name))
    expect(findField('gradle.develocitySettings.daemonEnabled')).toBeUndefined()
  })

  test('each have a name of their own and one line of meaning', () => {
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length)
    for (const { name, meaning } of fields) {
      expect(findField(name)?.name).toBe(name)
      expect(meaning).toMatch(/^[A-Z][^\n]{3,95}[^.\s]$/)
    }
  })

  test.each(['Project', 'PROJECT', 'toString', 'constructor', '__proto__', '', 'gradle.'])(
    'are none called %j',
    (name) => {
      expect(findField(name)).toBeUndefined()
    },
  )
})
