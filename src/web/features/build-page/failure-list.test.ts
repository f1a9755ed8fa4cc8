import { describe, expect, test } from 'vitest'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import type { PartState } from '../../data/build/build-part-loader.ts'
import { awaitsTests, failedTestNames, unknownCauseText } from './failure-list.tsx'

const amount = { events: 8, bytes: 900, malformed: 0, unreadable: [] }
const fault = new ProblemError(problem(502, 'upstream-auth', 'Denied', 'Denied.'))

test.each<[string, PartState, string]>([
  [
    'gradle',
    { state: 'complete', ...amount },
    "This Gradle build doesn't say why it failed. Its log may.",
  ],
  [
    'gradle',
    { state: 'complete', ...amount, malformed: 1 },
    'Why it failed is unknown: not all of its events could be read.',
  ],
  [
    'maven',
    { state: 'stopped', because: fault, ...amount },
    'Why it failed is unknown: not all of its events are loaded.',
  ],
  [
    'gradle',
    { state: 'refused', problem: fault },
    "Why it failed is unknown: its events couldn't be loaded.",
  ],
  // Its events are no public ones: they would say nothing either.
  [
    'bazel',
    { state: 'refused', problem: fault },
    "This Bazel build doesn't say why it failed. Its log may.",
  ],
])('of a failed %s build without a reason it is said why it has none: %j', (tool, part, text) => {
  expect(unknownCauseText(tool, part)).toBe(text)
})

describe('failed tests are awaited', () => {
  const says = (message: string | null) => ({
    header: {
      failures: [
        {
          id: '1',
          path: ':test',
          exceptions: [{ className: 'org.gradle.api.tasks.VerificationException', message }],
        },
      ],
    },
    failedTests: undefined,
    isComplete: false,
  })

  test.each([
    ['There were failing tests. See the report at: file:///index.html', true],
    ['There are test failures.', true],
    ['Checkstyle rule violations were found.', false],
    [null, false],
  ])('where a build says %j: %j', (message, expected) => {
    expect(awaitsTests(says(message) as never)).toBe(expected)
  })

  test('until they are there, or will not come', () => {
    const build = says('There were failing tests')
    expect(awaitsTests({ ...build, isComplete: true } as never)).toBe(false)
    expect(awaitsTests({ ...build, failedTests: { total: 1, rows: [] } } as never)).toBe(false)
    expect(awaitsTests({ ...build, header: undefined })).toBe(false)
  })
})

test('a failed test is named with its task when another one has the same name', () => {
  const row = (task: string | null, className: string, name: string) => ({
    test: { task, className, name, runs: [], durationMs: 0, outcome: 'failed' as const },
    failure: null,
  })
  const rows = [row(':a:test', 'T', 'adds'), row(':b:test', 'T', 'adds'), row(':b:test', 'U', 'x')]
  expect(failedTestNames({ rows })).toEqual(['T.adds in :a:test', 'T.adds in :b:test', 'U.x'])
})
