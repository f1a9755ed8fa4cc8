import { describe, expect, test } from 'vitest'
import { isLaterSuccess } from '../../../facts/failure-streak.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { feedAddress, neighboursOf } from './use-knowledge.ts'

function build(receivedAt: number, more: Partial<Facts> = {}): Facts {
  return {
    buildId: `b${receivedAt}`,
    receivedAt,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    project: 'shop',
    outcome: 'failed',
    values: [
      { name: 'Git branch', value: 'main' },
      { name: 'Git commit id', value: 'abc' },
    ],
    ...more,
  }
}

function feedOf(...kept: readonly Facts[]) {
  const build = { buildId: '', timestamp: 0, toolType: '', toolVersion: '', agentVersion: '' }
  return {
    oldest: 0,
    newest: kept.length - 1,
    row: (arrival: number) => ({ arrival, build, facts: kept[arrival] }),
  }
}

const green = { outcome: 'succeeded' } as const

test.each([
  ['a success after it', build(6, green), true],
  ['one before it', build(4, green), false],
  ['a failure', build(6), false],
  ['one of another project', build(6, { ...green, project: 'app' }), false],
  ['one of other work', build(6, { ...green, requested: ['lint'] }), false],
  ['one of another branch', build(6, { ...green, values: [] }), false],
])('whether a failed build is fixed by %s', (_what, later, isFixed) => {
  expect(isLaterSuccess(build(5), later)).toBe(isFixed)
})

describe('the builds around one', () => {
  test('show how long its branch has been failing, from the feed and from the server together', () => {
    const feed = feedOf(build(3), build(4), build(6), build(5, { project: 'other' }))
    const before = [build(3), build(2, { outcome: 'succeeded' })]
    const { streak } = neighboursOf(build(5), feed, before)
    expect(streak).toEqual({
      failures: 3,
      isOpen: false,
      branch: 'main',
      previous: 'b4',
      before: [build(4), build(3)],
      lastSuccess: before[1],
    })
  })

  test('are those of the same commit, later ones as well', () => {
    const other = build(7, { project: 'app' })
    const values = [{ name: 'Git commit id', value: 'def' }]
    const { sameCommit } = neighboursOf(build(5), feedOf(build(4, { values }), other), [])
    expect(sameCommit).toEqual([other])
  })

  test('are none where nothing is known of the project', () => {
    expect(neighboursOf(build(5, { project: null }), undefined, [])).toEqual({
      sameCommit: [],
      streak: undefined,
    })
  })
})

test('the feed is narrowed by its address', () => {
  expect(feedAddress({ project: 'a b&c' })).toBe('/?project=a+b%26c')
})
