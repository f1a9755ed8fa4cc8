import { describe, expect, test } from 'vitest'
import type { Facts } from '../../protocol/facts.ts'
import { readEventHead } from '../event.ts'
import type { Failure } from '../failures.ts'
import { createTestResults, testedBuild } from './test-results.ts'

type Event = readonly [eventType: string, data: object]

function suitesOf(events: readonly Event[], failureOf: (id: string) => Failure | undefined) {
  const results = createTestResults()
  for (const [at, [eventType, data]] of events.entries()) {
    const type = { majorVersion: 1, minorVersion: 0, eventType }
    const text = JSON.stringify({ timestamp: 1000 + at, type, data })
    results.take(eventType, 1000 + at, text, readEventHead(text).dataAt)
  }
  return results.suites(failureOf)
}

const task = (id: string, path: string, buildPath: string | null): Event => [
  'TaskStarted',
  { id, path, buildPath, className: 'T' },
]
const started = (id: string, name: string, more: object = {}): Event => [
  'TestStarted',
  { id, name, className: 'a.Shop', suite: false, ...more },
]
const finished = (id: string, more: object = {}): Event => [
  'TestFinished',
  { id, failed: false, skipped: false, failureId: null, ...more },
]

function thrown(...exceptions: readonly (readonly [className: string, message: string | null])[]) {
  return {
    id: '1',
    path: null,
    exceptions: exceptions.map(([className, message], depth) => ({
      ...{ id: String(depth), depth, className, message, taskPath: null, frames: [] },
    })),
  }
}

describe('the results of tests', () => {
  test('stand by task and class, a letter for each test', () => {
    const suites = suitesOf(
      [
        task('1', ':test', ':'),
        task('2', ':test', ':included'),
        started('3', 'passes', { task: '1' }),
        finished('3'),
        started('4', 'skips', { task: '1' }),
        finished('4', { skipped: true }),
        started('5', 'wavers', { task: '2' }),
        finished('5', { failed: true }),
        started('6', 'wavers', { task: '2' }),
        finished('6'),
        started('7', 'alone', { className: null }),
        finished('7', { failed: true }),
        // Of no task and no test that are known.
        started('8', 'Suite', { suite: true }),
        finished('8'),
        finished('99'),
      ],
      () => undefined,
    )
    expect(suites).toMatchObject([
      { task: ':test', className: 'a.Shop', names: ['passes', 'skips'], outcomes: 'ps' },
      { task: ':included:test', className: 'a.Shop', names: ['wavers'], outcomes: 'r', ms: [2] },
      { task: null, className: null, names: ['alone'], outcomes: 'f' },
    ])
    expect(suites.every((suite) => !('messages' in suite))).toBe(true)
  })

  test.each([
    [thrown(['a.Outer', 'no'], ['a.Inner', 'why']), 'Inner: why'],
    [thrown(['a.Outer', 'no'], ['a.Inner', ' ']), 'Outer: no'],
    [thrown(['a.Outer', null], ['a.Inner', null]), 'a.Inner'],
    [thrown(['a.Outer', 'x'.repeat(999)]), `Outer: ${'x'.repeat(292)}…`],
    [thrown(['a.Outer', `${'x'.repeat(291)}🚀${'x'.repeat(99)}`]), `Outer: ${'x'.repeat(291)}…`],
    [thrown(), undefined],
    [undefined, undefined],
  ])('%j is kept as %j', (failure, message) => {
    const [suite] = suitesOf(
      [started('1', 'breaks'), finished('1', { failed: true, failureId: '9' })],
      (id) => (id === '9' ? failure : undefined),
    )
    expect(suite?.messages?.[0]).toBe(message)
  })

  test('names of any length stay apart', () => {
    const long = `${'x'.repeat(489)}${'🚀'.repeat(60)}`
    const [suite] = suitesOf(
      [started('1', `${long}a`), finished('1'), started('2', `${long}b`), finished('2')],
      () => undefined,
    )
    expect(new Set(suite?.names).size).toBe(2)
    expect(suite?.names.every((name) => /^x{489}… [0-9a-f]{8}$/.test(name))).toBe(true)
    expect(Math.max(...(suite?.names ?? []).map(({ length }) => length))).toBeLessThan(510)
  })
})

describe('a tested build', () => {
  const facts: Facts = {
    ...{
      buildId: 'b',
      receivedAt: 9,
      buildTool: 'gradle',
      buildToolVersion: '9',
      agentVersion: '4',
    },
    values: [{ name: 'Git commit id', value: 'abc' }],
  }

  test('has what is known of it', () => {
    expect(testedBuild(facts, [])).toMatchObject({
      ...{ at: 9, project: null, branch: null, commit: 'abc', requested: [], suites: [] },
    })
    expect(testedBuild({ ...facts, values: [] }, []).commit).toBeNull()
  })

  test.each<Partial<Facts>>([
    { tags: ['Dirty'] },
    { values: [...(facts.values ?? []), { name: 'Git status', value: 'M a.ts' }] },
  ])('is of no commit where files were changed (%j)', (more) => {
    expect(testedBuild({ ...facts, ...more }, []).commit).toBeNull()
  })

  test('is of its commit where the list of changes is empty', () => {
    const values = [...(facts.values ?? []), { name: 'Git status', value: ' ' }]
    expect(testedBuild({ ...facts, values }, []).commit).toBe('abc')
  })
})
