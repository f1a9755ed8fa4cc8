import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type BuildEvent, decodeBuildEvent } from '../protocol/build-export.ts'
import { decodeBuildMessage } from '../protocol/build-message.ts'
import { factEventTypes, factsFromEvents } from './facts-from-events.ts'
import { factsOfMessage } from './merged-facts.ts'
import { realData } from '../real-data.test-support.ts'

const build = {
  buildId: 'aaaaaaaaaaaaa',
  timestamp: 5000,
  toolType: 'gradle',
  toolVersion: '9.2',
  agentVersion: '4.1',
}

function event(eventType: string, data: Record<string, unknown>, timestamp = 1000): BuildEvent {
  return { timestamp, type: { majorVersion: 1, minorVersion: 0, eventType }, data }
}

describe('facts from the events of a Gradle build', () => {
  test('name the project of the root build, not of an included one', () => {
    const structure = (name: string, buildPath: string): BuildEvent =>
      event('ProjectStructure', { rootProjectName: name, projects: [{ buildPath }] })
    for (const order of [
      [structure('buildSrc', ':buildSrc'), structure('shop', ':')],
      [structure('shop', ':'), structure('buildSrc', ':buildSrc')],
    ]) {
      expect(factsFromEvents(build, order).project).toBe('shop')
    }
  })

  test('say nothing of the project when only an included build is known', () => {
    const events = [
      event('ProjectStructure', { rootProjectName: 'buildSrc', projects: [{ buildPath: ':b' }] }),
    ]
    expect(factsFromEvents(build, events).project).toBeUndefined()
  })

  test.each([
    [{ failure: null }, 'succeeded'],
    [{ failureId: null, failure: null }, 'succeeded'],
    [{ failureId: '3107853242888327571', failure: null }, 'failed'],
    [{ failureId: 0, failure: null }, 'failed'],
    [{ failure: { message: 'x' } }, 'failed'],
    [{ failed: true }, 'failed'],
  ])('read the finish %j as %s', (data, outcome) => {
    const facts = factsFromEvents(build, [
      event('BuildStarted', {}),
      event('BuildFinished', data, 73_000),
      event('BasicMemoryStats', {}, 73_500),
    ])
    expect(facts.outcome).toBe(outcome)
    expect(facts.durationMs).toBe(72_000)
  })

  test.each([{}, { outcome: 'FAILED' }, { failures: [{ message: 'x' }] }, { failed: 'true' }])(
    'leave the outcome unknown where the finish %j does not say it, and report it',
    (data) => {
      const fields: string[] = []
      const events = [event('BuildStarted', {}), event('BuildFinished', data, 73_000)]
      const facts = factsFromEvents(build, events, ({ field }) => fields.push(field))
      expect(facts.outcome).toBeUndefined()
      expect(facts.hasVerificationFailure).toBeUndefined()
      expect(fields).toEqual(['BuildFinished.failureId'])
    },
  )

  test('say nothing of a build of another tool, so that its attributes count', () => {
    const npm = { ...build, toolType: 'npm' }
    const facts = factsFromEvents(npm, [event('BuildStarted', {}), event('BuildFinished', {})])
    expect(facts).toEqual(factsOfMessage(npm))
  })

  test('leave outcome and duration unknown while there is no finish', () => {
    const facts = factsFromEvents(build, [event('BuildStarted', {})])
    expect(facts.outcome).toBeUndefined()
    expect(facts.durationMs).toBeUndefined()
    expect(facts.tags).toEqual([])
  })

  test.each([
    'Hardware',
    'Os',
    'Jvm',
    'Encoding',
    'BuildAgent',
    'UserTag',
    'UserNamedValue',
    'ProjectStructure',
    'BuildRequestedTasks',
    'MvnBuildRequestedGoals',
    'MvnProjectStructure',
    'MvnBuildFinished',
  ])('report %s of another shape, and say nothing by it', (eventType) => {
    const unread: unknown[] = []
    const strange = event(eventType, { username: 7 })
    const facts = factsFromEvents(build, [event('BuildStarted', {}), strange], (one) => {
      unread.push(one)
    })
    expect(unread).not.toEqual([])
    expect(facts).toEqual(factsFromEvents(build, [event('BuildStarted', {})]))
  })

  test('know no duration of a build that ends before it starts', () => {
    const end = event('BuildFinished', { failureId: null, failure: null }, -5000)
    expect(factsFromEvents(build, [event('BuildStarted', {}), end])).toMatchObject({
      outcome: 'succeeded',
      durationMs: null,
    })
  })

  test('put the words of a machine together without those that are missing', () => {
    const fields = (eventType: string, data: Record<string, unknown>) =>
      factsFromEvents(build, [event('BuildStarted', {}), event(eventType, data)]).fields
    expect(fields('Os', { family: 'linux', name: 'Linux', version: '6', arch: null })).toEqual({
      'gradle.environment.operatingSystem': 'Linux 6',
    })
    const vm = {
      version: '21',
      vendor: 'Acme',
      vmVendor: 'Acme',
      vmName: 'VM',
      vmVersion: '21.0.1',
    }
    const runtime = { runtimeName: 'Runtime', runtimeVersion: '21.0.1+12' }
    for (const [vmInfo, words] of [
      ['mixed mode', 'Acme VM 21.0.1 (mixed mode)'],
      ['', 'Acme VM 21.0.1'],
    ]) {
      expect(fields('Jvm', { ...vm, ...runtime, vmInfo })).toEqual({
        'gradle.environment.jvmVersion': words,
        'gradle.environment.jreVersion': 'Acme Runtime 21.0.1+12',
      })
    }
    expect(fields('Encoding', { defaultCharset: 'UTF-8' })).toEqual({
      'gradle.environment.jvmCharset': 'UTF-8',
    })
    expect(fields('BuildModes', { daemon: true, maxWorkers: 4, offline: 'no' })).toEqual({
      'gradle.buildOptions.daemonEnabled': true,
      'gradle.buildOptions.maxNumberOfGradleWorkers': 4,
    })
  })

  test('keep repeated tags and values in order', () => {
    const facts = factsFromEvents(build, [
      event('BuildStarted', {}),
      event('UserTag', { tag: 'CI' }),
      event('UserTag', { tag: 'CI' }),
      event('UserNamedValue', { key: 'Git branch', value: 'main' }),
      event('UserNamedValue', { key: 'Git branch', value: null }),
    ])
    expect(facts.tags).toEqual(['CI', 'CI'])
    expect(facts.values).toEqual([
      { name: 'Git branch', value: 'main' },
      { name: 'Git branch', value: '' },
    ])
  })

  test('name the project of the only structure, also where its projects are left out', () => {
    const bare = event('ProjectStructure', { rootProjectName: 'shop' })
    const other = event('ProjectStructure', { rootProjectName: 'build-logic' })
    expect(factsFromEvents(build, [bare]).project).toBe('shop')
    expect(factsFromEvents(build, [bare, other]).project).toBeUndefined()
  })

  test('know at the end that there is no user, host or project where nothing names one', () => {
    const begun = [event('BuildStarted', {})]
    const ended = [...begun, event('BuildFinished', { failureId: null })]
    expect(factsFromEvents(build, begun).user).toBeUndefined()
    const none = { user: null, hostname: null, project: null }
    expect(factsFromEvents(build, ended)).toMatchObject(none)
    const unread = factsFromEvents(build, [...ended, event('BuildAgent', { username: 5 })])
    expect(unread).toMatchObject({ user: undefined, hostname: undefined, project: null })
  })

  test('lose only what cannot be read, and name it', () => {
    const fields: string[] = []
    const events = [
      event('BuildAgent', { username: 5, publicHostname: 'agent-1' }),
      event('BuildRequestedTasks', { requested: ['check', null] }),
      event('Os', { name: 'Linux', version: 6 }),
      event('MvnBuildFinished', { failed: 'yes' }),
      event('BuildStarted', {}),
    ]
    const facts = factsFromEvents(build, events, ({ field }) => fields.push(field))
    expect(facts).toMatchObject({
      hostname: 'agent-1',
      requested: ['check'],
      fields: { 'gradle.environment.operatingSystem': 'Linux' },
    })
    expect(facts.user).toBeUndefined()
    expect(fields).toEqual([
      'BuildAgent.username',
      'BuildRequestedTasks.requested[1]',
      'Os.version',
      'MvnBuildFinished.failed',
    ])
  })

  test('survive events of unknown types and shapes', () => {
    const facts = factsFromEvents(build, [
      event('Novelty', { a: 1 }),
      event('BuildAgent', { username: 5 }),
      event('ProjectStructure', {}),
      event('BuildRequestedTasks', { requested: 'check' }),
    ])
    expect(facts).toEqual({
      buildId: 'aaaaaaaaaaaaa',
      receivedAt: 5000,
      buildTool: 'gradle',
      buildToolVersion: '9.2',
      agentVersion: '4.1',
    })
  })
})

const recordings = realData('recordings/')

describe.skipIf(!existsSync(recordings))('facts from real recordings', () => {
  test.each([
    ['gradle-small', 'buildship-test-project-with-build-scan', 'succeeded', ['somethingFunky']],
    ['gradle-failing-test', 'build-analysis', 'failed', ['check']],
    ['gradle-dependencies', 'build-analysis', 'succeeded', [':task-indexer:testClasses']],
    [
      'gradle-build-cache',
      'gradle',
      'succeeded',
      ['clean', ':install', ':toolingApi:installToolingApiShadedJar'],
    ],
    ['maven-failed', 'timeline-failed-goals', 'failed', ['clean', 'compile']],
  ])('%s', (file, project, outcome, requested) => {
    const [first = '', ...rest] = readFileSync(new URL(`${file}.jsonl`, recordings), 'utf8')
      .trim()
      .split('\n')
    const events = rest.map(decodeBuildEvent)
    const message = decodeBuildMessage(JSON.parse(first))
    const facts = factsFromEvents(message, events)
    expect(facts).toMatchObject({ project, outcome, requested, user: 'builder' })
    expect(facts.durationMs).toBeGreaterThan(0)
    const relevant = events.filter(({ type }) => factEventTypes.includes(type.eventType))
    expect(factsFromEvents(message, relevant)).toEqual(facts)
  })
})
