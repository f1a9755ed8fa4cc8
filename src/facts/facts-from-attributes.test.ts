import { describe, expect, test } from 'vitest'
import type { Models } from '../protocol/build-data.ts'
import { factsFromAttributes } from './facts-from-attributes.ts'
import type { UnreadableField } from '../protocol/read-fields.ts'

const build = {
  buildId: 'aaaaaaaaaaaaa',
  timestamp: 5000,
  toolType: 'gradle',
  toolVersion: '9.2',
  agentVersion: '4.1',
}
const announced = {
  buildId: 'aaaaaaaaaaaaa',
  receivedAt: 5000,
  buildTool: 'gradle',
  buildToolVersion: '9.2',
  agentVersion: '4.1',
}
const notApplicable = {
  problem: {
    type: 'urn:gradle:enterprise:api:problems:build-model-not-applicable',
    title: 'Build model is not applicable.',
    status: 400,
  },
}
const shared = {
  buildStartTime: 1_700_000_000_000,
  buildDuration: 72_000,
  tags: ['CI'],
  values: [{ name: 'Git branch', value: 'main' }, { name: 'empty' }],
}

interface Row {
  readonly tool: string
  readonly models: Models
  readonly facts: Record<string, unknown>
}

const rows: readonly Row[] = [
  {
    tool: 'gradle',
    models: {
      mavenAttributes: notApplicable,
      gradleAttributes: {
        model: {
          ...shared,
          hasFailed: true,
          hasVerificationFailure: true,
          hasNonVerificationFailure: false,
          rootProjectName: 'shop',
          requestedTasks: ['check'],
          pluginVersion: '4.1',
          buildOptions: { parallelProjectExecutionEnabled: true, excludedTasks: ['x'] },
          develocitySettings: { buildOutputCapturingEnabled: false },
          environment: {
            username: 'alice',
            publicHostname: null,
            localHostname: 'agent-1',
            numberOfCpuCores: 8,
            localIpAddresses: ['192.0.2.1'],
          },
        },
      },
    },
    facts: {
      user: 'alice',
      hostname: 'agent-1',
      project: 'shop',
      requested: ['check'],
      outcome: 'failed',
      hasVerificationFailure: true,
      hasNonVerificationFailure: false,
      fields: {
        'gradle.rootProjectName': 'shop',
        'gradle.pluginVersion': '4.1',
        'gradle.buildOptions.parallelProjectExecution': true,
        'gradle.platformSettings.buildOutputCapturingEnabled': false,
        'gradle.environment.localHostname': 'agent-1',
        'gradle.environment.numberOfCpuCores': 8,
        'gradle.environment.localIPAddress': '192.0.2.1',
      },
    },
  },
  {
    tool: 'gradle, failed before its project was known',
    models: { gradleAttributes: { model: { ...shared, hasFailed: true, rootProjectName: null } } },
    facts: { project: null, outcome: 'failed', requested: undefined },
  },
  {
    tool: 'maven',
    models: {
      mavenAttributes: {
        model: {
          ...shared,
          hasFailed: false,
          topLevelProjectName: 'core',
          requestedGoals: ['clean', 'verify'],
          buildOptions: { noSnapshotsUpdatesEnabled: true, rerunGoals: false },
          environment: { username: 'ci', publicHostname: 'agent-2.example.com' },
        },
      },
    },
    facts: {
      project: 'core',
      requested: ['clean', 'verify'],
      outcome: 'succeeded',
      hasVerificationFailure: false,
      hasNonVerificationFailure: false,
      hostname: 'agent-2.example.com',
      fields: {
        'maven.topLevelProjectName': 'core',
        'maven.buildOptions.noSnapshotUpdatesEnabled': true,
        'maven.buildOptions.rerunGoalsEnabled': false,
      },
    },
  },
  {
    tool: 'bazel',
    models: {
      bazelAttributes: {
        model: {
          ...shared,
          command: 'test',
          targetPatterns: ['//...'],
          moduleName: 'search-index',
          user: 'bob',
          host: 'agent-3',
          exitCode: 3,
        },
      },
    },
    facts: {
      project: 'search-index',
      requested: ['//...'],
      user: 'bob',
      hostname: 'agent-3',
      outcome: 'failed',
      failure: { message: 'Exit code 3: some tests failed or timed out' },
    },
  },
  {
    tool: 'sbt',
    models: {
      sbtAttributes: {
        model: { ...shared, rootProjectName: 'ledger', requestedCommands: ['clean', 'test'] },
      },
    },
    facts: { project: 'ledger', requested: ['clean', 'test'], outcome: undefined },
  },
  {
    tool: 'npm',
    models: {
      npmAttributes: {
        model: {
          ...shared,
          packageName: 'web',
          command: { command: 'run', arguments: ['test'] },
          exitCode: 0,
          nodejsVersion: '22.17.0',
          npmAgentVersion: '3.0.0',
        },
      },
    },
    facts: {
      project: 'web',
      requested: ['run test'],
      outcome: 'succeeded',
      fields: {
        'npm.projectName': 'web',
        'npm.agentVersion': '3.0.0',
        'npm.environment.nodeVersion': '22.17.0',
      },
    },
  },
  {
    tool: 'python',
    models: {
      pythonAttributes: {
        model: { ...shared, projectName: 'etl', command: 'pytest', exitCode: 1 },
      },
    },
    facts: {
      project: 'etl',
      requested: ['pytest'],
      outcome: 'failed',
      failure: { message: 'Exit code 1' },
    },
  },
  {
    tool: 'python, ended by an exception',
    models: {
      pythonAttributes: {
        model: { ...shared, exitCode: 1, exception: ' ImportError: no module named etl\n' },
      },
    },
    facts: { outcome: 'failed', failure: { message: 'ImportError: no module named etl' } },
  },
  {
    tool: 'python, its command as a list of words',
    models: {
      pythonAttributes: {
        model: { ...shared, projectName: 'etl', command: ['pytest', '-q'], exitCode: 0 },
      },
    },
    facts: { project: 'etl', requested: ['pytest -q'], outcome: 'succeeded' },
  },
]

describe('facts from attributes', () => {
  test.each(rows)('of $tool', ({ models, facts }) => {
    expect(factsFromAttributes(build, models)).toMatchObject({
      ...announced,
      durationMs: 72_000,
      startTime: 1_700_000_000_000,
      tags: ['CI'],
      values: [
        { name: 'Git branch', value: 'main' },
        { name: 'empty', value: '' },
      ],
      ...facts,
    })
  })

  test('are those of the announcement where every model has a problem or is no object', () => {
    const models = {
      gradleAttributes: notApplicable,
      mavenAttributes: { model: ['CI'] },
      bazelAttributes: {},
    }
    expect(factsFromAttributes(build, models)).toEqual(announced)
  })

  test.each([-5, 1e18])('know no duration that no build can have: %d', (buildDuration) => {
    const unreadable: UnreadableField[] = []
    const models = { gradleAttributes: { model: { ...shared, buildDuration } } }
    const facts = factsFromAttributes(build, models, (field) => unreadable.push(field))
    expect([facts.durationMs, unreadable.map(({ field }) => field)]).toEqual([
      undefined,
      ['buildDuration'],
    ])
  })

  test('read a start time in seconds as what it must be', () => {
    const models = { gradleAttributes: { model: { buildStartTime: 1_637_316_480 } } }
    expect(factsFromAttributes(build, models).startTime).toBe(1_637_316_480_000)
  })

  test.each([
    ['tags', ['CI', null, 'main'], 'tags[1]', { tags: ['CI', 'main'] }],
    ['tags', 'CI', 'tags', { tags: undefined }],
    [
      'values',
      [{ name: 'a', value: 5 }, { name: 'b' }],
      'values[0].value',
      { values: [empty('b')] },
    ],
    ['buildDuration', '72000', 'buildDuration', { durationMs: undefined }],
    ['buildDuration', -1, 'buildDuration', { durationMs: undefined }],
    ['buildStartTime', 1.5, 'buildStartTime', { startTime: undefined }],
    ['buildStartTime', 9e15, 'buildStartTime', { startTime: undefined }],
    ['requestedTasks', ['a', 1], 'requestedTasks[1]', { requested: ['a'] }],
    ['environment', { username: 5 }, 'environment.username', { user: undefined }],
    ['environment', [], 'environment', { user: undefined, hostname: undefined }],
    ['rootProjectName', 7, 'rootProjectName', { project: undefined }],
    ['hasFailed', 'no', 'hasFailed', { outcome: undefined }],
  ])('lose only what cannot be read of %s %j, and name it', (name, value, field, facts) => {
    const unreadable: UnreadableField[] = []
    const whole = { ...shared, hasFailed: true, rootProjectName: 'shop', requestedTasks: ['check'] }
    const expected = factsFromAttributes(build, { gradleAttributes: { model: whole } })
    const model = { ...whole, [name]: value }
    const read = factsFromAttributes(build, { gradleAttributes: { model } }, (one) => {
      unreadable.push(one)
    })
    expect({ ...read, fields: {} }).toEqual({ ...expected, ...facts, fields: {} })
    expect(unreadable.map((one) => one.field)).toEqual([field])
    expect(unreadable[0]?.reason).toMatch(/expected /)
  })

  test('have every address of a machine that has several', () => {
    const fieldsWith = (localIpAddresses: readonly string[]) => {
      const model = { ...shared, environment: { localIpAddresses } }
      return factsFromAttributes(build, { gradleAttributes: { model } }).fields
    }
    const name = 'gradle.environment.localIPAddress'
    const several = ['10.60.1.19', '172.17.0.1']
    expect(fieldsWith(several)).toEqual({ [name]: several })
    expect(fieldsWith(['10.60.1.19'])).toEqual({ [name]: '10.60.1.19' })
    expect(fieldsWith([])).toEqual({ [name]: [] })
  })

  test('call an option as it is called, whatever that is', () => {
    const model = { buildOptions: { constructor: true }, environment: { valueOf: 'x' } }
    expect(factsFromAttributes(build, { gradleAttributes: { model } }).fields).toEqual({
      'gradle.buildOptions.constructor': true,
      'gradle.environment.valueOf': 'x',
    })
  })

  test('know that there is no user, host or project where nothing names one', () => {
    const none = { user: null, hostname: null, project: null, tags: [], values: [] }
    const nulls = { rootProjectName: null, environment: { username: null, publicHostname: null } }
    for (const model of [{}, nulls, { user: null, host: null, packageName: null }]) {
      expect(factsFromAttributes(build, { gradleAttributes: { model } })).toMatchObject(none)
    }
  })
})

function empty(name: string): Record<'name' | 'value', string> {
  return { name, value: '' }
}
