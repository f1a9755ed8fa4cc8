import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { BuildFailure } from '../../protocol/facts.ts'
import { realData } from '../../real-data.test-support.ts'
import { readEventHead } from '../event.ts'
import { testEventTypes } from '../test-cases.ts'
import { createBuildFailures, failureEventTypes } from './build-failures.ts'
import { failureKey } from './failure-key.ts'
import { factsFailure } from './failure-text.ts'

const event = (eventType: string, data: object): string =>
  JSON.stringify({ timestamp: 1, type: { majorVersion: 1, minorVersion: 0, eventType }, data })

function failuresOf(...events: readonly string[]) {
  const made = createBuildFailures()
  for (const text of events) made.take(text, readEventHead(text))
  return made.failures()
}

const exceptions = (more: object) =>
  event('ExceptionData', {
    exceptions: {
      '1': { className: 'a.Outer', message: 'outer', causes: ['2'], metadata: { taskPath: ':t' } },
      '2': { className: 'a.Inner', message: '  inner ', causes: ['3'] },
      '3': { className: 'a.Silent', message: null, causes: [] },
      ...more,
    },
  })

describe('the failures of a build in short', () => {
  test('are the innermost exceptions with a message, and where', () => {
    expect(failuresOf(event('BuildFinished', { failureId: 1 }), exceptions({}))).toEqual([
      { message: 'inner', exception: 'a.Inner', task: ':t' },
    ])
  })

  test('follow the first of several causes', () => {
    const branching = { '2': { className: 'a.Many', message: 'many', causes: ['4', '5'] } }
    const causes = {
      '4': { className: 'a.First', message: 'first', causes: [] },
      '5': { className: 'a.Second', message: 'second', causes: [] },
    }
    const found = failuresOf(
      exceptions({ ...branching, ...causes }),
      event('BuildFinished', { failureId: '1' }),
    )
    expect(found.map(({ message }) => message)).toEqual(['first'])
  })

  test('are none of a build that succeeded, nor of one whose exceptions are not there', () => {
    expect(failuresOf(event('BuildFinished', { failureId: null }), exceptions({}))).toEqual([])
    expect(failuresOf(event('BuildFinished', { failureId: 9 }))).toEqual([])
  })

  test('of a build with hundreds are ten, and long texts are cut', () => {
    const ids = Array.from({ length: 300 }, (_, id) => String(id))
    const many = Object.fromEntries(
      ids.map((id) => [id, { className: 'E'.repeat(5000), message: `${id} ${'x'.repeat(5000)}` }]),
    )
    const found = failuresOf(
      event('MvnExceptionData', { exceptions: many }),
      event('MvnBuildFinished', { failed: true, failureIds: ids }),
    )
    expect(found).toHaveLength(10)
    expect(found[0]?.message).toHaveLength(1000)
    expect(found[0]?.exception).toHaveLength(300)
    expect(factsFailure(BuildFailure.parse(found[0])).message).toHaveLength(300)
  })

  test('are read from what can be read', () => {
    const odd = ['{', event('ExceptionData', { exceptions: 7 }), event('ExceptionData', { a: [] })]
    const made = createBuildFailures()
    for (const text of odd)
      made.take(text, { timestamp: 1, eventType: 'ExceptionData', dataAt: -1 })
    for (const text of [exceptions({}), event('BuildFinished', { failureId: 1 })]) {
      made.take(text, readEventHead(text))
    }
    expect(made.failures()).toHaveLength(1)
  })
})

describe('failing tests', () => {
  const ofTests = event('ExceptionData', {
    exceptions: {
      '1': { className: 'a.Outer', message: 'outer', causes: ['2'], metadata: { taskPath: ':t' } },
      '2': { className: 'a.Verification', message: 'There were failing tests. See the report.' },
      '8': { className: 'a.Assertion', message: 'expected 3', causes: [] },
    },
  })
  const end = event('BuildFinished', { failureId: 1 })
  const task = event('TaskStarted', { id: 70, path: ':t', className: null })
  let ids = 100
  const ran = (className: string | null, name: string, how: object): string[] => {
    const id = ++ids
    return [
      event('TestStarted', { task: 70, id, name, className, suite: false }),
      event('TestFinished', { task: 70, id, failed: false, skipped: false, ...how }),
    ]
  }

  test('are named each, by class and name, with its own exception', () => {
    const tests = [
      ...ran('a.b.ZooTest', 'late', { failed: true, failureId: 9 }),
      ...ran('a.b.CartTest', 'total', { failed: true, failureId: 8 }),
      ...ran('a.b.CartTest', 'fine', {}),
    ]
    const failure = {
      task: ':t',
      exception: 'a.Assertion',
      message: 'expected 3',
      test: { className: 'a.b.CartTest', name: 'total', others: 1 },
    }
    const late = {
      task: ':t',
      exception: 'a.Verification',
      message: 'There were failing tests. See the report.',
      test: { className: 'a.b.ZooTest', name: 'late', others: 1 },
    }
    expect(failuresOf(task, ...tests, ofTests, end)).toEqual([failure, late])
    expect(failuresOf(task, ...tests.reverse().slice(2), ofTests, end)).toEqual([
      expect.objectContaining({ task: ':t' }),
    ])
    expect(failureKey(failure)).toBe('a.b.CartTest · total')
  })

  test('come after the first of each task, ten in all, whatever their parameters', () => {
    const both = event('ExceptionData', {
      exceptions: {
        '1': { className: 'V', message: 'There were failing tests.', metadata: { taskPath: ':t' } },
        '2': { className: 'V', message: 'There were failing tests.', metadata: { taskPath: ':u' } },
      },
    })
    const other = event('TaskStarted', { id: 71, path: ':u', className: null })
    const tests = Array.from({ length: 40 }, (_, n) => [
      ...ran('a.ATest', `t${String(n).padStart(2, '0')}`, { failed: true }),
      ...ran('a.ATest', `t00[${n}]`, { failed: true }),
    ]).flat()
    const last = [
      event('TestStarted', { task: 71, id: 7, name: 'z', className: 'a.Z', suite: false }),
      event('TestFinished', { task: 71, id: 7, failed: true, skipped: false }),
    ]
    const ended = event('MvnBuildFinished', { failed: true, failureIds: ['1', '2'] })
    const names = failuresOf(task, other, ...tests, ...last, both, ended).map(
      (failure) => failure.test?.name,
    )
    const rest = ['t00[0]', 't01', 't02', 't03', 't04', 't05', 't06', 't07']
    expect(names).toEqual(['t00', 'z', ...rest])
  })

  test('that passed on a retry are no reason', () => {
    const tests = [
      ...ran('a.CartTest', 'flaky', { failed: true, failureId: 8 }),
      ...ran('a.CartTest', 'flaky', {}),
      ...ran(null, 'broken', { failed: true }),
    ]
    const [failure] = failuresOf(task, ...tests, ofTests, end)
    expect(failure?.test).toEqual({ name: 'broken', others: 0 })
    expect(failure?.message).toBe('There were failing tests. See the report.')
  })

  test('are missed where only the end of the build was read, and only of tests', () => {
    const lacks = (...events: readonly string[]): boolean => {
      const made = createBuildFailures()
      for (const text of events) made.take(text, readEventHead(text))
      return made.lacksTests()
    }
    expect(lacks(ofTests, end)).toBe(true)
    expect(lacks(task, ...ran('a.T', 't', { failed: true }), ofTests, end)).toBe(false)
    expect(lacks(exceptions({}), end)).toBe(false)
  })

  test('say nothing of a build that failed of something else', () => {
    const tests = ran('a.CartTest', 'total', { failed: true, failureId: 3 })
    const [failure] = failuresOf(task, ...tests, exceptions({}), end)
    expect(failure).toEqual({ message: 'inner', exception: 'a.Inner', task: ':t' })
  })
})

const recordings = realData('recordings/')

describe.skipIf(!existsSync(recordings))('the failures of real recordings in short', () => {
  const recorded = (name: string) =>
    failuresOf(
      ...readFileSync(new URL(name, recordings), 'utf8')
        .split('\n')
        .filter((line) =>
          [...failureEventTypes, ...testEventTypes].some((type) =>
            line.includes(`"eventType":"${type}"`),
          ),
        ),
    )

  test('a failed test of Gradle, and failed goals of Maven', () => {
    const [failure] = recorded('gradle-failing-test.jsonl')
    expect(failure).toMatchObject({
      task: ':build-event-transformerator:test',
      test: { others: 0 },
    })
    expect(failure?.message).not.toMatch(/^There were failing tests\./)
    expect(recorded('maven-failed.jsonl').map(({ task }) => task)).toEqual([
      'compiler:compile on a',
      'compiler:compile on b',
    ])
    expect(recorded('gradle-small.jsonl')).toEqual([])
  })
})
