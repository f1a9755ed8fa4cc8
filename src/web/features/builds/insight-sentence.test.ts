import { describe, expect, test } from 'vitest'
import type { BuildGroup, TrendPoint } from '../../../protocol/insight.ts'
import { problem as problemOf, ProblemError } from '../../../protocol/problem.ts'
import {
  allText,
  basedText,
  comparedText,
  countBefore,
  failureText,
  groupsSentence,
  noneWithinText,
  outsideText,
  percentText,
  overlapText,
  stepText,
  trendsSentence,
} from './insight-sentence.ts'

const at = Date.UTC(2026, 10, 14, 9, 14)
const minute = 60_000

function group(key: string | null, builds: number, failed: number): BuildGroup {
  return { key, builds, failed, firstSeen: at, lastSeen: at + minute, newestBuild: '', bars: [] }
}

function groups(...all: BuildGroup[]) {
  const sumOf = (name: 'builds' | 'failed'): number => all.reduce((sum, one) => sum + one[name], 0)
  return { builds: sumOf('builds'), failed: sumOf('failed'), groups: all, allGroups: all.length }
}

test('a value of blanks alone is named so that people see it', () => {
  const { groups: all, ...counts } = groups(group('  ', 3, 1))
  expect(groupsSentence({ ...counts, groups: all }, 'project', 'utc')).toContain('“  ”')
})

describe('groups in a sentence', () => {
  test('name what fails most, however many builds others have', () => {
    const sentence = groupsSentence(
      groups(group('core', 400, 3), group('checkout', 120, 41), group(null, 90, 40)),
      'project',
      'utc',
    )
    expect(sentence).toBe('checkout fails most: 41 of 120 builds (34%).')
  })

  test('say of builds that all failed whose share is the largest', () => {
    const sentence = groupsSentence(
      groups(group('core', 5, 5), group('checkout', 15, 15), { ...group(null, 9, 0), unknown: 9 }),
      'project',
      'utc',
    )
    expect(sentence).toBe('checkout fails most: 15 of 20 failed builds (75%).')
  })

  test('do not name one as the worst where more is of nobody knows whom, or as bad', () => {
    const ada = group('ada', 1, 1)
    expect(groupsSentence(groups(group(null, 40, 1), ada), 'user', 'utc')).toBe(
      'Where the user is known, ada fails most: 1 of 1 build (100%).',
    )
    expect(groupsSentence(groups(ada, group('ben', 9, 1), group('eve', 2, 1)), 'user', 'utc')).toBe(
      'ada and 2 others fail most: 1 build each.',
    )
  })

  test('name the failure that broke most builds, and since when', () => {
    const timeout = { ...group('K', 41, 41), failure: { message: 'Read timed\n out' } }
    const sentence = groupsSentence(groups(timeout, group(null, 79, 79)), 'failure', 'utc')
    expect(sentence).toBe(
      'One failure broke 41 of 120 failed builds, since Nov 14, 2026, 09:14 UTC: Read timed out',
    )
  })

  test('do not say that none failed where only groups that are not shown have failures', () => {
    const largest = { ...groups(group('a', 3, 0), group('b', 2, 0)), builds: 9, allGroups: 6 }
    expect(groupsSentence({ ...largest, failed: 1 }, 'user', 'utc')).toBeUndefined()
    expect(groupsSentence({ ...largest, failed: 0 }, 'user', 'utc')).toBe(
      'None of 9 builds failed.',
    )
  })

  test('say that nobody knows which failed, where the server gives no outcomes', () => {
    for (const by of ['project', 'tool', 'outcome'] as const) {
      const sentence = groupsSentence(groups(group('gradle', 7, 0)), by, 'utc', false)
      expect(sentence).toBe('7 builds; the build server gives no outcomes.')
    }
  })

  test('count each failed build once, also where it stands in several groups', () => {
    const twice = { ...groups(group('K', 41, 41), group('L', 30, 30)), failed: 50 }
    expect(groupsSentence(twice, 'failure', 'utc')).toContain('broke 41 of 50 failed builds')
    expect(overlapText(twice)).toContain('add up to more than the 50 failed builds')
    expect(overlapText({ ...twice, failed: 71 })).toBeUndefined()
    const { failed: _, ...unsaid } = twice
    expect(groupsSentence(unsaid, 'failure', 'utc')).toContain('broke 41 builds')
    expect(overlapText(unsaid)).toBeUndefined()
  })

  test.each([
    ['project', groups(), undefined],
    ['project', groups(group('a', 3, 0), group('b', 2, 0)), 'None of 5 builds failed.'],
    [
      'project',
      groups(group('checkout', 3, 1)),
      'All 3 builds have the same project: checkout. 1 failed.',
    ],
    ['project', groups(group(null, 3, 0)), '3 builds have no known project.'],
    ['branch', groups(group(null, 3, 2)), '3 builds have no known branch. 2 failed.'],
    [
      'outcome',
      groups(group('succeeded', 3, 0), group('failed', 1, 1)),
      '1 of 4 builds failed (25%).',
    ],
    ['failure', groups(group(null, 4, 4)), undefined],
  ] as const)('by %s of few builds say what is known', (by, all, sentence) => {
    expect(groupsSentence(all, by, 'utc')).toBe(sentence)
  })

  test('count only the builds of which it is known how they ended', () => {
    const some = { ...group('core', 40, 3), unknown: 30 }
    const none = { ...group(null, 400, 0), unknown: 400 }
    expect(groupsSentence(groups(some, none), 'user', 'utc')).toBe(
      'core fails most: 3 of 10 builds (30%).',
    )
    expect(groupsSentence(groups({ ...some, failed: 0 }, none), 'user', 'utc')).toBe(
      'None of 10 builds with a known outcome failed.',
    )
    expect(groupsSentence(groups(some), 'user', 'utc')).toBe(
      'All 40 builds have the same user: core. 3 of 10 builds with a known outcome failed.',
    )
    expect(groupsSentence(groups(group('failed', 1, 1), none), 'outcome', 'utc')).toBe(
      '1 of 1 build with a known outcome failed (100%).',
    )
  })

  test('of one build are said in the singular', () => {
    expect(groupsSentence(groups(group('one', 1, 0)), 'project', 'utc')).toBe(
      'The project of the only build: one. 0 failed.',
    )
  })

  test('by failure of builds that nobody knows the outcome of say so', () => {
    const none = { builds: 423, groups: [], allGroups: 0 }
    expect(groupsSentence(none, 'failure', 'utc', false)).toBe(
      "It isn't known which of 423 builds failed.",
    )
    expect(groupsSentence({ ...none, builds: 1 }, 'failure', 'utc', false)).toBe(
      "It isn't known whether 1 build failed.",
    )
  })

  test('by failure of builds that all succeeded say so', () => {
    expect(groupsSentence({ builds: 7, groups: [], allGroups: 0 }, 'failure', 'utc')).toBe(
      'No build failed.',
    )
  })
})

test('the time before is said by its dates and how many builds it has', () => {
  const to = Date.UTC(2026, 10, 15, 9, 14)
  const earlier = { from: to - 7 * 86_400_000, to }
  const time = 'Nov 8, 2026, 09:14 UTC to Nov 15, 2026, 09:14 UTC'
  expect(comparedText(earlier, 12, 'utc')).toBe(
    `Compared with the week before: 12 builds from ${time}.`,
  )
  expect(comparedText(earlier, 12, 'utc', true)).toBe(
    `Compared with the week before: 12 builds so far from ${time}.`,
  )
  expect(comparedText(earlier, 0, 'utc')).toBe(
    `The build server has no builds from the week before: ${time}.`,
  )
  expect(comparedText(earlier, 'reading', 'utc')).toBe(`Reading the week before: ${time}…`)
  expect(comparedText(earlier, 'unread', 'utc')).toBe(`Not compared with the week before: ${time}.`)
  expect(comparedText(undefined, 3, 'utc')).toBeUndefined()
})

test('builds that are dated outside the queried time are counted apart', () => {
  expect(outsideText(0)).toBeUndefined()
  expect(outsideText(3)).toBe(
    'Not in the charts: 3 builds of the list, dated outside the queried time.',
  )
  expect(noneWithinText(1)).toBe(
    'No builds in the queried time. 1 build of the list is dated outside it.',
  )
  expect(noneWithinText(2)).toContain('2 builds of the list are dated outside it.')
})

test('the time before has no builds only where it was read to its end', () => {
  const problem = new ProblemError(problemOf(503, 'busy', 'Busy', 'Busy.'))
  expect(countBefore({ state: { is: 'done' }, found: [] })).toBe(0)
  expect(countBefore({ state: { is: 'reading', since: 0 }, found: [] })).toBe('reading')
  for (const state of [
    { is: 'failed', problem },
    { is: 'cancelled' },
    { is: 'resting' },
  ] as const) {
    expect(countBefore({ state, found: [] })).toBe('unread')
  }
})

test('a failure of tests is called by the test, with what it threw', () => {
  const failure = {
    message: 'expected 3',
    task: ':test',
    test: { className: 'com.acme.CartTest', name: 'total()', others: 1 },
  }
  expect(failureText({ key: 'k', failure })).toBe('CartTest.total(): expected 3')
  expect(failureText({ key: 'k', failure: { message: 'out of\n memory' } })).toBe('out of memory')
  expect(failureText({ key: 'k' })).toBe('k')
})

describe('a step in a sentence', () => {
  const step = {
    project: 'checkout',
    requested: 'test',
    at,
    firstBuild: 'k3j7a2b9c4d5e',
    before: { builds: 30, p50: 5 * minute, p95: 6 * minute },
    after: { builds: 30, p50: 8 * minute, p95: 9 * minute },
  }

  test('says what rose from when to when, and the first build', () => {
    expect(stepText(step, 'utc')).toBe(
      '95th percentile of checkout test rose from 6 min to 9 min on Nov 14, 2026, 09:14 UTC, first build k3j7…4d5e',
    )
  })

  test('is about the median where the slowest builds stayed as they were', () => {
    const after = { builds: 30, p50: 3 * minute, p95: 6 * minute }
    expect(stepText({ ...step, requested: null, after }, 'utc')).toBe(
      'The median of checkout fell from 5 min to 3 min on Nov 14, 2026, 09:14 UTC, first build k3j7…4d5e',
    )
  })
})

describe('trends in a sentence', () => {
  const point = (more: Partial<TrendPoint>): TrendPoint => ({
    from: 0,
    builds: 100,
    succeeded: 87,
    failed: 13,
    p50: 4 * minute,
    p95: 9 * minute,
    cacheHits: null,
    cacheable: null,
    ...more,
  })

  test('stand beside the time before', () => {
    const before = point({ succeeded: 91, failed: 9, p50: 4 * minute, p95: 6 * minute })
    expect(trendsSentence(point({}), before, 'the 7 days')).toBe(
      '87% of 100 builds succeeded, 91% in the 7 days before. 95th percentile 9 min, 50% more than before. Median 4 min, about as before.',
    )
  })

  test('are never all less than before', () => {
    const before = point({ p95: 100_000 * minute, p50: null })
    expect(trendsSentence(point({ p50: null }), before, 'the day')).toContain(
      '95th percentile 9 min, 99.9% less than before.',
    )
  })

  test('stand alone where there was nothing before', () => {
    expect(trendsSentence(point({}), point({ builds: 0 }), 'the day')).toBe(
      '87% of 100 builds succeeded. 95th percentile 9 min. Median 4 min.',
    )
    expect(trendsSentence(point({ builds: 0 }), undefined, '')).toBeUndefined()
  })

  test('of a server that gives neither outcomes nor durations say so', () => {
    const bare = point({ succeeded: 0, failed: 0, p50: null, p95: null })
    expect(trendsSentence(bare, undefined, '')).toBe(
      '100 builds; the server gives neither outcomes nor durations.',
    )
  })

  test.each([
    [1, '100%'],
    [0.99996, '99.9%'],
    [0.996, '99.6%'],
    [0.5, '50%'],
    [0.004, '0.4%'],
    [0.0004, '0.1%'],
    [0, '0%'],
  ])('a share of %d is %s', (share, text) => {
    expect(percentText(share)).toBe(text)
  })
})

test('what a view rests on is a sentence with and without its subject', () => {
  expect(basedText('all 40 builds')).toBe('Based on all 40 builds')
  expect(basedText('all 40 builds', 'Steps in duration')).toBe(
    'Steps in duration are based on all 40 builds',
  )
})

test.each([
  [40, 0, 'all 40 builds that match'],
  [1, 0, 'the only build that matches'],
  [423, 423, 'all 423 builds that may match'],
  [425, 423, 'all 425 builds that match or may match'],
])('of %d builds, %d of them unsure, it is said whether they match', (builds, unsure, text) => {
  expect(allText(builds, unsure)).toBe(text)
})

test.each([
  ['expected: <EXPIRED> but was: <ACCEPTED>', 'expected: <EXPIRED> but was:…'],
  ['short', 'short'],
  [`a ${'b'.repeat(40)}`, `a ${'b'.repeat(27)}…`],
  [`${'b'.repeat(28)}🚀 left`, `${'b'.repeat(28)}…`],
])('a failure %s is cut between words, and a long word within it', (key, text) => {
  expect(failureText({ key, failure: undefined }, 30)).toBe(text)
})
