import { describe, expect, test } from 'vitest'
import { tileBuildsOf } from '../../../facts/tile-builds.ts'
import { type TileState, tileState } from '../../../facts/tile-state.ts'
import type { Facts } from '../../../protocol/facts.ts'
import {
  branchesText,
  branchText,
  causeText,
  durationsText,
  rowText,
  searchText,
} from './tile-text.ts'

const minute = 60_000
const noon = Date.UTC(2026, 0, 5, 12)

/** A tile whose builds came a minute apart, each of its own commit: S for a success, F for a failure. */
function tileOf(outcomes: string, more: Partial<Facts> = {}): TileState {
  const builds = outcomes.split('').map((letter, index): Facts => ({
    buildId: `b${String(index).padStart(12, '0')}`,
    receivedAt: noon + index * minute,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    values: [
      { name: 'Git branch', value: 'main' },
      { name: 'Git commit id', value: `${index}231e8a00112233` },
    ],
    outcome: letter === 'S' ? 'succeeded' : 'failed',
    ...more,
  }))
  return tileState(tileBuildsOf(builds), { now: noon + 60 * minute, timeZone: 'UTC' })
}

test.each([
  ['SSF', 'first failure'],
  ['SFFF', '3 failures in a row'],
  ['FF', '2 or more failures in a row'],
  ['FS', 'good again'],
  ['FSS', '2 good in a row'],
  ['SS', '2 or more good in a row'],
  ['S', undefined],
  ['F', undefined],
  ['', undefined],
])('after %s it is “%s”', (outcomes, text) => {
  expect(rowText(tileOf(outcomes))).toBe(text)
})

test('builds that ended the other way in between are counted, as the strip shows them', () => {
  const green = { ...tileOf('FSS'), between: 1 }
  expect(rowText(green)).toBe('2 of 3 builds passed')
  expect(rowText({ ...green, isOpen: true, isMore: true })).toBe('2 of the last 3 builds passed')
  expect(rowText({ ...green, isMore: true })).toBe('2 or more builds passed')
  expect(rowText({ ...tileOf('SFF'), between: 5, isMore: true })).toBe('2 or more builds failed')
})

describe('a tile says', () => {
  test('of the first failure in a row: the requested work, the branch, and by whom', () => {
    const requested = { requested: ['clean', 'check', 'publish'], user: 'alice' }
    expect(causeText(tileOf('SFF', requested))).toBe('clean check · main · alice')
    expect(causeText(tileOf('SF', { values: [] }))).toBeUndefined()
  })

  test('which commit fixed it, or failed and passed', () => {
    expect(causeText(tileOf('SFS'))).toBe('Fixed by commit 2231e8a0')
    const commit = { values: [{ name: 'Git commit id', value: '46231e8a00112233' }] }
    expect(causeText(tileOf('FS', commit))).toBe('Commit 46231e8a failed and passed')
    const retried = { task: ':test', name: 'CartTest.pays' }
    const tests = { failed: [], flaky: [retried], passedTasks: [':test'] }
    expect(causeText(tileOf('S', { tests }))).toBe('CartTest.pays failed and passed')
  })

  test('how many other branches are failing, and which one it stands for unless that is obvious', () => {
    expect(branchesText(tileOf('SS'))).toBeUndefined()
    expect(branchesText({ ...tileOf('SS'), failingBranches: ['a', 'b'] })).toBe(
      '2 branches failing',
    )
    expect(branchText(tileOf('SS'))).toBeUndefined()
    const develop = { values: [{ name: 'Git branch', value: 'develop' }] }
    expect(branchText(tileOf('SS', develop))).toBe('develop')
  })

  test('how long builds take, and what is usual only where that is another time', () => {
    // Spaces at which no line ends.
    const time = '1\u00a0min\u00a012\u00a0s'
    expect(durationsText(tileOf('SS', { durationMs: 72_000 }))).toBe(`${time}, as usual`)
    expect(durationsText(tileOf('SS', { durationMs: 72_000 }), 'rest')).toBe(`${time} today`)
    expect(durationsText(tileOf('SS'))).toBeUndefined()
    const slower: TileState = {
      ...tileOf('SS'),
      durations: { todayMs: 72_000, medianMs: 58_000, today: 1 },
    }
    const usual = 'usually 58\u00a0s'
    expect(durationsText(slower)).toBe(`${time} today, ${usual}`)
    expect(durationsText(slower, 'line')).toBe(`${time}, ${usual}`)
    expect(durationsText(slower, 'rest')).toBe(`${time} today`)
  })

  test('nothing of a search that answers', () => {
    expect(searchText({ is: 'answered', problem: undefined }, '09:12')).toBeUndefined()
    expect(searchText({ is: 'failed', problem: 'It is down.' }, '09:12')).toBe(
      'Watching since 09:12. It is down.',
    )
  })
})
