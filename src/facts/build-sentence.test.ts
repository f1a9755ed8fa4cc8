import { describe, expect, test } from 'vitest'
import type { Facts } from '../protocol/facts.ts'
import { type BuildStory, buildSentence } from './build-sentence.ts'
import { failureStreak } from './failure-streak.ts'

const build: Facts = {
  buildId: 'aaaaaaaaaaaaa',
  receivedAt: 9,
  buildTool: 'gradle',
  buildToolVersion: '9',
  agentVersion: '4',
  project: 'shop',
}

function said(facts: Partial<Facts>, story: Partial<BuildStory> = {}): string {
  const nothing = { failedIn: [], failedTests: undefined, streak: undefined, isWhole: false }
  return buildSentence(
    { ...nothing, ...story, facts: { ...build, ...facts } },
    (ms) => `${ms / 1000} s`,
  )
}

const failed = { outcome: 'failed', durationMs: 72_000, startTime: 1 } as const
const streak = { failures: 3, isOpen: false, branch: 'main', previous: 'b' }

describe('the sentence about a build', () => {
  test.each([
    ['Failed after 72 s.', said(failed)],
    [
      'Failed after 72 s in :app:test, verification failure. 3rd failure in a row on main.',
      said({ ...failed, hasVerificationFailure: true }, { failedIn: [':app:test'], streak }),
    ],
    [
      'Failed after 72 s in :a and 2 more, non-verification failure.',
      said({ ...failed, hasNonVerificationFailure: true }, { failedIn: [':a', ':b', ':c', ':a'] }),
    ],
    ['Failed after 72 s, 1 failed test.', said(failed, { failedTests: 1 })],
    ['Failed after 72 s, 12 failed tests.', said(failed, { failedTests: 12 })],
    [
      'Failed after 72 s. At least the 22nd failure in a row.',
      said(failed, { streak: { ...streak, failures: 22, isOpen: true, branch: undefined } }),
    ],
    ['Failed after 72 s.', said(failed, { streak: { ...streak, failures: 1 } })],
    ['Failed.', said({ outcome: 'failed', durationMs: null })],
    [
      'Succeeded after 2 s.',
      said({ outcome: 'succeeded', durationMs: 2000 }, { streak: { ...streak, failures: 0 } }),
    ],
    [
      'Succeeded after 2 s. The first success after 3 failures in a row on main.',
      said({ outcome: 'succeeded', durationMs: 2000 }, { streak }),
    ],
    [
      'Succeeded. The first success after a failure on main.',
      said({ outcome: 'succeeded' }, { streak: { ...streak, failures: 1 } }),
    ],
    ["Started. How it ended isn't known.", said({ startTime: 5 })],
    [
      "Ended after 72 s. Whether it failed isn't known.",
      said({ startTime: 5, durationMs: 72_000 }),
    ],
    ["A Gradle build. Details aren't available yet.", said({})],
    ["An npm build. Details aren't available yet.", said({ buildTool: 'npm' })],
    ["A build by an unknown tool. Details aren't available yet.", said({ buildTool: 'unknown' })],
    ["An sbt build. How it ended isn't known.", said({ buildTool: 'sbt' }, { isWhole: true })],
    [
      "A Bazel build. How it ended isn't known.",
      said({ buildTool: 'bazel', startTime: null }, { isWhole: true }),
    ],
    ["A cargo build. How it ended isn't known.", said({ buildTool: 'cargo' }, { isWhole: true })],
  ])('%s', (expected, sentence) => {
    expect(sentence).toBe(expected)
  })

  test('says so while nothing is known', () => {
    const story = {
      facts: undefined,
      failedIn: [],
      failedTests: undefined,
      streak: undefined,
      isWhole: false,
    }
    expect(buildSentence(story, String)).toBe('Looking up this build.')
  })
})

describe('a row of failures', () => {
  const on = (outcome: Facts['outcome'], more: Partial<Facts> = {}): Facts => ({
    ...build,
    buildId: 'b',
    outcome,
    values: [{ name: 'Git branch', value: 'main' }],
    ...more,
  })

  test('ends at the last success of the same project, branch and request', () => {
    const earlier = [
      on('failed', { buildId: 'c' }),
      on('succeeded', { project: 'other' }),
      on('succeeded', { values: [{ name: 'git branch', value: 'dev' }] }),
      on('succeeded', { requested: ['publish'] }),
      on(undefined),
      on('failed'),
      on('succeeded'),
      on('failed'),
    ]
    expect(failureStreak(on('failed'), earlier)).toEqual({
      failures: 3,
      isOpen: false,
      branch: 'main',
      previous: 'c',
      before: [earlier[0], earlier[5]],
      lastSuccess: earlier[6],
    })
    expect(failureStreak(on('succeeded'), earlier).failures).toBe(2)
  })

  test('may be longer where no success is known before it', () => {
    expect(failureStreak(on('failed'), [on('failed')])).toMatchObject({ failures: 2, isOpen: true })
    expect(failureStreak(on('failed'), [])).toMatchObject({ failures: 1, previous: undefined })
  })
})
