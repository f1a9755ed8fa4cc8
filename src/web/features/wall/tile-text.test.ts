import { describe, expect, test } from 'vitest'
import { addBuild, noBuilds } from '../../../facts/tile-builds.ts'
import { type TileState, tileState } from '../../../facts/tile-state.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { causeText, durationsText, rowText, searchText } from './tile-text.ts'

const minute = 60_000
const noon = Date.UTC(2026, 0, 5, 12)

/** A tile whose builds came a minute apart, each of its own branch: S for a success, F for a failure. */
function tileOf(outcomes: string, more: Partial<Facts> = {}): TileState {
  const builds = outcomes.split('').map((letter, index): Facts => ({
    buildId: `b${String(index).padStart(12, '0')}`,
    receivedAt: noon + index * minute,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    values: [{ name: 'Git branch', value: `topic-${index}` }],
    outcome: letter === 'S' ? 'succeeded' : 'failed',
    ...more,
  }))
  return tileState(builds.reduce(addBuild, noBuilds), { now: noon + 60 * minute, timeZone: 'UTC' })
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

describe('a tile says', () => {
  test('of the first failure of the row what was asked for, on which branch, and by whom', () => {
    const requested = { requested: ['clean', 'check', 'publish'], user: 'alice' }
    expect(causeText(tileOf('SFF', requested))).toBe('clean check · topic-1 · alice')
    expect(causeText(tileOf('SF', { values: [] }))).toBeUndefined()
  })

  test('first what has had both outcomes, as the end of a line may be cut', () => {
    const onMain = { values: [{ name: 'Git branch', value: 'main' }] }
    expect(causeText(tileOf('FS', onMain))).toBe('branch main: flaky')
    const commit = { values: [{ name: 'Git commit id', value: '46231e8a00112233' }] }
    expect(causeText(tileOf('FS', commit))).toBe('commit 46231e8a: flaky')
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
