import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type BuildCollector, createBuildCollector } from './build-collector.ts'
import { allExecutions } from './execution-table.ts'
import { realData } from '../real-data.test-support.ts'

const all = { header: true, executions: true, logBytes: 64 * 1024 * 1024 }
const message = JSON.stringify({
  buildId: 'aaaaaaaaaaaaa',
  timestamp: 5000,
  toolType: 'gradle',
  toolVersion: '9.2',
  agentVersion: '4.1',
})

function event(eventType: string, data: object, timestamp = 1000, minorVersion = 0): string {
  return JSON.stringify({ timestamp, type: { majorVersion: 1, minorVersion, eventType }, data })
}

function collect(...events: readonly string[]): BuildCollector {
  const collector = createBuildCollector(all)
  collector.build(message)
  for (const [index, text] of events.entries()) collector.event(text, String(index + 1))
  return collector
}

describe('a collector', () => {
  test('starts the build again at a second Build message', () => {
    const collector = collect(
      event('UserTag', { tag: 'CI' }),
      event('TaskStarted', { id: 1, path: ':a' }),
    )
    collector.build(message)
    expect(collector.events()).toBe(0)
    expect(collector.executions().length()).toBe(0)
    expect(collector.log().total()).toBe(0)
    expect(collector.starts()).toBe(2)
    collector.event(event('TaskStarted', { id: 1, path: ':a' }), '1')
    expect(collector.executions().length()).toBe(1)
  })

  test('counts what it cannot read and goes on', () => {
    const started = event('TaskStarted', { id: 1, path: ':a' })
    const collector = collect(
      'not json',
      '{"timestamp":1}',
      started.slice(0, -3),
      '{"timestamp":1,"type":{"majorVersion":1,"minorVersion":0,"eventType":"UserTag"},"data":{"tag"',
      started,
    )
    expect(collector.events()).toBe(5)
    expect(collector.malformed()).toBe(4)
    expect(collector.executions().length()).toBe(1)
  })

  test('says of what it cannot read which it is, of which type and why, and keeps its text', () => {
    const odd =
      '{"timestamp":"late","type":{"majorVersion":1,"minorVersion":0,"eventType":"UserTag"},"data":{"tag":"CI"}}'
    const collector = collect(event('TaskStarted', { id: 1, path: ':a' }), odd, 'not json')
    expect(collector.unreadable()).toEqual([
      {
        number: 2,
        type: 'UserTag',
        reason: '“timestamp” is missing or not as expected (number expected)',
        text: odd,
      },
      {
        number: 3,
        type: null,
        reason: expect.stringMatching(/^Not JSON: /) as unknown,
        text: 'not json',
      },
    ])
  })

  test('reads a Build message as the lists do: without a field that cannot be read', () => {
    const collector = createBuildCollector({ header: true, executions: false, logBytes: 0 })
    const build = { buildId: 'k3j7x2m4q7a4c', timestamp: 5, toolVersion: null, agentVersion: null }
    collector.build(JSON.stringify({ ...build, toolType: '' }))
    expect(collector.message()).toMatchObject({
      toolType: 'unknown',
      toolVersion: '',
      timestamp: 5,
    })
    expect(collector.malformed()).toBe(0)
    collector.build(JSON.stringify({ toolType: 'gradle' }))
    expect(collector.unreadable()).toMatchObject([
      { number: 0, reason: expect.stringMatching(/^“buildId” is not/) as unknown },
    ])
  })

  test('keeps few of many that it cannot read, and little of each', () => {
    const collector = collect(...Array.from({ length: 30 }, () => 'x'.repeat(9000)))
    expect(collector.malformed()).toBe(30)
    expect(collector.unreadable()).toHaveLength(20)
    expect(collector.unreadable()[0]?.text).toHaveLength(4000)
    const cut = collect(`${'x'.repeat(3999)}🚀`)
    expect(cut.unreadable()[0]?.text).toBe('x'.repeat(3999))
  })

  test('reads events whose keys stand in another order, or with blanks between', () => {
    const data = { id: '9007199254740993', path: ':a' }
    const type = { eventType: 'TaskStarted', majorVersion: 1, minorVersion: 5 }
    const collector = collect(JSON.stringify({ data, type, timestamp: 7 }, null, 2))
    expect(collector.malformed()).toBe(0)
    expect([...allExecutions(collector.executions())]).toMatchObject([
      { id: '9007199254740993', path: ':a', startedAt: 7 },
    ])
  })

  test('keeps events of unknown types and versions as they came', () => {
    const text =
      '{"timestamp":5,"type":{"majorVersion":7,"minorVersion":3,"eventType":"Novelty"},"data":{"id":-7978837427190732235}}'
    const log = collect(text).log()
    expect(log.counts()).toEqual([{ type: 'Novelty', count: 1, kept: 1 }])
    expect(log.slice(undefined, 0, 5)).toEqual([{ index: 0, sequence: 1, type: 'Novelty', text }])
  })
})

const recordings = realData('recordings/')

function recorded(name: string): BuildCollector {
  const [first = '', ...rest] = readFileSync(new URL(`${name}.jsonl`, recordings), 'utf8')
    .trim()
    .split('\n')
  const collector = createBuildCollector(all)
  collector.build(first)
  rest.forEach((line, index) => {
    collector.event(line, String(index + 1))
  })
  return collector
}

describe.skipIf(!existsSync(recordings))('real recordings', () => {
  test.each([
    {
      name: 'gradle-small',
      facts: {
        project: 'buildship-test-project-with-build-scan',
        outcome: 'succeeded',
        durationMs: 130,
        requested: ['somethingFunky'],
      },
      counts: { task: { succeeded: 1 }, goal: {}, test: {} },
    },
    {
      name: 'gradle-failing-test',
      facts: {
        project: 'build-analysis',
        outcome: 'failed',
        durationMs: 3132,
        requested: ['check'],
      },
      counts: {
        task: { failed: 1, 'no-source': 22, succeeded: 13, 'up-to-date': 24 },
        goal: {},
        test: { failed: 1, succeeded: 3 },
      },
    },
    {
      name: 'gradle-dependencies',
      facts: {
        project: 'build-analysis',
        outcome: 'succeeded',
        durationMs: 889,
        requested: [':task-indexer:testClasses'],
      },
      counts: { task: { 'no-source': 4, succeeded: 6, 'up-to-date': 6 }, goal: {}, test: {} },
    },
    {
      name: 'gradle-build-cache',
      facts: {
        project: 'gradle',
        outcome: 'succeeded',
        durationMs: 23453,
        requested: ['clean', ':install', ':toolingApi:installToolingApiShadedJar'],
      },
      counts: {
        task: { succeeded: 340, 'from-cache': 245, 'up-to-date': 140, 'no-source': 215 },
        goal: {},
        test: {},
      },
    },
    {
      name: 'maven-failed',
      facts: {
        project: 'timeline-failed-goals',
        outcome: 'failed',
        durationMs: 1740,
        requested: ['clean', 'compile'],
      },
      counts: { task: {}, goal: { succeeded: 5, failed: 2 }, test: {} },
    },
  ])('$name', ({ name, facts, counts }) => {
    const collector = recorded(name)
    const build = collector.message()
    expect(collector.malformed()).toBe(0)
    expect(build && collector.header().read(build).facts).toMatchObject(facts)
    expect(collector.executions().counts()).toEqual(counts)
  })
})
