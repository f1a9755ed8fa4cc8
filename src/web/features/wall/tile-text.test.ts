import { tileBuildsOf } from '../../../facts/tile-laws.test-support.ts'
import { describe, expect, test } from 'vitest'
import { type TileState, tileState } from '../../../facts/tile-state.ts'
import type { Facts } from '../../../protocol/facts.ts'
import {
  buildsLink,
  branchesPath,
  branchesText,
  branchText,
  causeText,
  commitsText,
  durationsText,
  foldedTexts,
  hiddenTexts,
  inThePast,
  lastText,
  messageText,
  nameText,
  rowText,
  searchText,
  silentText,
  sinceText,
  slowerText,
  storyPath,
  whoText,
  wordText,
} from './tile-text.ts'
import { belowTexts, textsOf } from './tile-setting.ts'

const minute = 60_000
const noon = Date.UTC(2026, 0, 5, 12)

/** A tile whose builds came a minute apart, each of its own commit: S for a success, F for a failure, U for one of which it isn't known. */
function tileOf(outcomes: string, more: Partial<Facts> = {}): TileState {
  const known: Readonly<Record<string, Facts['outcome']>> = { S: 'succeeded', F: 'failed' }
  const builds = outcomes.split('').map((letter, index): Facts => ({
    buildId: `b${String(index).padStart(12, '0')}`,
    receivedAt: noon + index * minute,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    values: [
      { name: 'Git branch', value: 'main' },
      { name: 'Git commit id', value: `${index}231e8a00112233${'0'.repeat(25)}` },
    ],
    outcome: known[letter],
    ...more,
  }))
  return tileState(tileBuildsOf(builds), { now: noon + 60 * minute, timeZone: 'UTC' })
}

test.each([
  ['SSF', 'first failure'],
  ['SFFF', '3 failures in a row'],
  ['FF', '2 or more failures in a row'],
  ['FS', 'good again'],
  ['FSS', '2 successes in a row'],
  ['SS', '2 or more successes in a row'],
  ['S', undefined],
  ['F', undefined],
  ['', undefined],
])('after %s it is “%s”', (outcomes, text) => {
  expect(rowText(tileOf(outcomes))).toBe(text)
})

test.each([
  ['SU', '1 newer with unknown outcome'],
  ['FUU', '2 newer with unknown outcome'],
  ['US', undefined],
])('after %s, which may stay so, it says “%s”', (outcomes, text) => {
  expect(textsOf(tileOf(outcomes), 'utc', 'rich').storing).toBe(text)
})

test('builds that ended the other way in between are counted, as the strip shows them', () => {
  const green = { ...tileOf('FSS'), between: 1 }
  expect(rowText(green)).toBe('2 of 3 builds passed')
  expect(rowText({ ...green, isOpen: true, isMore: true })).toBe('2 of the last 3 builds passed')
  expect(rowText({ ...green, isMore: true })).toBe('2 or more builds passed')
  expect(rowText({ ...tileOf('SFF'), between: 5, isMore: true })).toBe('2 or more builds failed')
})

test.each([
  [24, false, 'since 12:00, 24 min', '24 min'],
  [24, true, 'for over 24 min', 'over 24 min'],
  [0, true, '', 'just now'],
  [0, false, 'since 12:00', 'just now'],
  // On the next day a time of day alone would be taken for one of today.
  [13 * 60, false, 'since 12:00, 13 h', '13 h'],
  [13 * 60, true, 'for over 13 h', 'over 13 h'],
  [25 * 60, false, 'for 25 h', '25 h'],
  [25 * 60, true, 'for over 25 h', 'over 25 h'],
])('%d minutes after noon, open %s, it is so “%s”', (minutes, isOpen, text, short) => {
  const state = { ...tileOf('SF'), news: undefined, since: noon, isOpen }
  expect(sinceText(state, noon + minutes * minute, 'utc')).toBe(text)
  expect(sinceText(state, noon + minutes * minute, 'utc', 'little')).toBe(short)
})

test.each([
  [24, 'at 12:00, 24 min ago', '24 min ago'],
  [0, 'at 12:00', 'just now'],
  [25 * 60, '25 h ago', '25 h ago'],
])('%d minutes after noon, news happened “%s”', (minutes, text, short) => {
  const state = { ...tileOf('SF'), since: noon }
  expect(state.news).toBe('failed')
  expect(sinceText(state, noon + minutes * minute, 'utc')).toBe(text)
  expect(sinceText(state, noon + minutes * minute, 'utc', 'little')).toBe(short)
})

describe('a tile says', () => {
  test('of the first failure in a row: what failed, else what was requested; and who committed what to which branch', () => {
    const requested = { requested: ['clean', 'check', 'publish'], user: 'runner' }
    const plain = tileOf('SFF', requested)
    expect(causeText(plain)).toBe('clean check publish')
    expect(whoText(plain)).toBe('runner\u00a0· 1231e8a001\u00a0· main')
    expect(messageText(plain)).toBeUndefined()
    const tests = { failed: [{ task: ':test', name: 'CartTest.pays' }], flaky: [], passedTasks: [] }
    const values = [
      { name: 'Git author', value: 'Ann' },
      { name: 'Git commit id', value: 'abcdef0123' },
    ]
    const known = tileOf('SF', { ...requested, tests, values })
    expect(causeText(known)).toBe('CartTest.pays')
    expect(whoText(known)).toBe('Ann\u00a0· abcdef0123')
    expect(causeText(tileOf('SF', { values: [] }))).toBeUndefined()
    expect(whoText(tileOf('SF', { values: [] }))).toBeUndefined()
  })

  test.each([
    ['SF', 'New failure'],
    ['F', 'Failing'],
    ['SFF', 'Failing for the 2nd time'],
    ['SFFF', 'Failing for the 3rd time'],
    [`S${'F'.repeat(11)}`, 'Failing for the 11th time'],
    ['F'.repeat(60), 'Failing for at least the 60th time'],
    ['FS', 'Fixed'],
    ['SS', 'Healthy'],
    ['', 'No builds yet'],
  ])('after %s that it is “%s”', (outcomes, word) => {
    expect(wordText(tileOf(outcomes))).toBe(word)
  })

  test('how often it failed only where no other number says how many builds did', () => {
    expect(wordText({ ...tileOf('SFF'), inARow: 5, between: 3 })).toBe('Failing')
  })

  test('how slow or how late it is', () => {
    const slower = { recentMs: 672_000, usualMs: 240_000, buildId: 'b', before: 'a', requested: [] }
    expect(slowerText({ ...tileOf('SS'), slower })).toBe(
      '11\u00a0min\u00a012\u00a0s, usually 4\u00a0min',
    )
    const late = (everyMs: number, lateMs: number) =>
      silentText({ ...tileOf('SS'), silent: { everyMs, dueAt: noon } }, noon + lateMs)
    expect(late(24 * 60 * minute, 26 * 60 * minute)).toBe('26 h late, usually daily')
    expect(late(7 * 24 * 60 * minute, 5 * 60 * minute)).toBe('5 h late, usually weekly')
    expect(late(61 * minute, 90 * minute)).toBe('1 h late, usually hourly')
    expect(late(30 * minute, 90 * minute)).toBe('1 h late, usually every 30\u00a0min')
    expect(slowerText({ ...tileOf('SS'), slower }, 'little')).toBe('11\u00a0min\u00a012\u00a0s')
    const silent = { everyMs: 24 * 60 * minute, dueAt: noon }
    expect(silentText({ ...tileOf('SS'), silent }, noon + 60 * minute, 'little')).toBe('1 h late')
    expect(wordText(tileOf('SFFF'), 'little')).toBe('3rd failure')
    expect(wordText(tileOf('F'.repeat(60)), 'little')).toBe('60th+ failure')
    expect(slowerText(tileOf('SS'))).toBeUndefined()
    expect(silentText(tileOf('SS'), noon)).toBeUndefined()
  })

  test('which commits may have broken it, and links to the comparison of the last success with the first failure', () => {
    const [work, other] = [
      { name: 'CI job', value: 'test' },
      { name: 'CI job', value: 'lint' },
    ]
    const one = (index: number, outcome: 'succeeded' | 'failed', value: typeof work): Facts => ({
      buildId: `b${String(index).padStart(12, '0')}`,
      receivedAt: noon + index * minute,
      buildTool: 'gradle',
      buildToolVersion: '9',
      agentVersion: '4',
      outcome,
      values: [
        value,
        { name: 'Git commit id', value: `c${index}` },
        { name: 'Git author', value: 'Ann' },
      ],
    })
    const builds = [one(0, 'succeeded', work), one(1, 'succeeded', other), one(2, 'failed', work)]
    const state = tileState(tileBuildsOf(builds), { now: noon + 3 * minute, timeZone: 'UTC' })
    expect(commitsText(state)).toBe('One of 2 commits: c2 Ann, c1 Ann')
    expect(storyPath(state)).toBe('/builds/b000000000002?compare=b000000000000')
    expect(commitsText(tileOf('SF'))).toBeUndefined()
    expect(storyPath(tileOf('F'))).toBe('/builds/b000000000000')
    expect(storyPath(tileOf('S'))).toBeUndefined()
  })

  test('where to look for its other branches', () => {
    const state = { ...tileOf('SS'), failingBranches: ['a', 'b"c'] }
    const path = branchesPath('project:x or project:y', state)
    expect(new URLSearchParams(path.split('?')[1]).get('q')).toBe(
      '(project:x or project:y) and buildOutcome:failed and (value:"Git branch=a" or value:"Git branch=b\\"c")',
    )
  })

  test('which commit fixed it, or failed and passed', () => {
    expect(causeText(tileOf('SFS'))).toBe('Fixed by commit 2231e8a001')
    const commit = {
      values: [{ name: 'Git commit id', value: `46231e8a00112233${'0'.repeat(24)}` }],
    }
    expect(causeText(tileOf('FS', commit))).toBe('Commit 46231e8a00 failed and passed')
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
    const today = tileOf('SS', { durationMs: 72_000 })
    // Of one day alone, be it of one build, nobody can say what is usual.
    expect(durationsText(today)).toBe(`${time} today`)
    const usually = { ...today, durations: { ...today.durations, medianMs: 72_000 } }
    expect(durationsText(usually)).toBe(`${time}, as usual`)
    expect(durationsText(usually, 'rest')).toBe(`${time} today`)
    const before = { ...usually, durations: { ...usually.durations, todayMs: undefined } }
    expect(durationsText(before)).toBe(`usually ${time}`)
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

  test('that its builds were not loaded, rather than that there are none', () => {
    const state = tileOf('')
    const answered = { is: 'answered', problem: undefined } as const
    const names = [
      [{ is: 'loading' }, 'Loading…', 'Loading…'],
      [answered, 'No builds yet', 'Had no builds'],
      [{ is: 'failed', problem: 'It is down.' }, "Couldn't load builds", "Couldn't load builds"],
      [{ is: 'unsupported' }, 'No recent builds', 'Had no recent builds'],
    ] as const
    for (const [search, now, then] of names) {
      expect(nameText({ state, search, isKept: false })).toBe(now)
      expect(inThePast(nameText({ state, search, isKept: false }))).toBe(then)
      expect(inThePast(nameText({ state, search, isKept: true }))).toBe('Had no builds')
    }
    expect(inThePast(nameText({ state: tileOf('SS'), search: answered, isKept: false }))).toBe(
      'Was healthy',
    )
    expect(['New failure', '3rd failure', 'Outcome unknown'].map(inThePast)).toEqual([
      'Was failing',
      'Was failing',
      'Outcome was unknown',
    ])
  })

  test('of what was known before, how old the build is that said so', () => {
    const state = tileOf('SF')
    const at = state.newest?.receivedAt ?? 0
    expect(lastText(state, at + 3 * 60 * minute)).toBe('3 h ago')
    expect(lastText(tileOf(''), at)).toBe('')
  })

  test('nothing of a search that answers', () => {
    expect(searchText({ is: 'answered', problem: undefined }, '09:12')).toBeUndefined()
    expect(searchText({ is: 'failed', problem: 'It is down.' }, '09:12')).toBe(
      'Watching since 09:12. It is down.',
    )
    expect(searchText({ is: 'failed', problem: 'It is down. Try again.' }, '09:12')).toBe(
      'Watching since 09:12. It is down.',
    )
  })
})

test('why a tile is not up to date is a sentence behind what else it says', () => {
  const watched = 'Only builds since 17:20'
  const texts = { word: '', row: '2 in a row', storing: '1 newer', watched }
  expect(belowTexts(texts)).toEqual([
    '2\u00a0in\u00a0a\u00a0row; 1\u00a0newer. Only builds since 17:20',
    '2\u00a0in\u00a0a\u00a0row; 1\u00a0newer. Only builds since 17:20',
    '1\u00a0newer. Only builds since 17:20',
  ])
  expect(belowTexts({ word: '', watched })).toEqual([watched, watched, watched])
})

test('what is folded is counted: one is, several are, and none is not called healthy', () => {
  expect(foldedTexts(12, 1, false)).toEqual(['12 healthy', '1 other'])
  expect(foldedTexts(1, 2, true)).toEqual(['1 was healthy', '2 others'])
  expect(foldedTexts(2, 0, true)).toEqual(['2 were healthy', undefined])
  expect(foldedTexts(0, 3, false)).toEqual([undefined, '3 others'])
})

test('what is not shown is said of one and of many', () => {
  expect(hiddenTexts(0, 0)).toEqual([])
  expect(hiddenTexts(1, 1)).toEqual([
    "1 more project doesn't fit. Define the tiles you need.",
    '1 tile of other walls is updated only while shown.',
  ])
  expect(hiddenTexts(1240, 2)).toEqual([
    "1,240 more projects don't fit. Define the tiles you need.",
    '2 tiles of other walls are updated only while shown.',
  ])
})

test('a tile leads to its builds by an address that servers take, however long its query is', () => {
  expect(buildsLink('tag:CI')).toBe('/builds?q=tag%3ACI')
  expect(buildsLink('ü'.repeat(2000))).toMatch(/^\/builds#\?q=/)
})
