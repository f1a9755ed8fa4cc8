import { describe, expect, test } from 'vitest'
import type { TestRow, TestsProgress } from '../../../protocol/test-insight.ts'
import { parse } from '../../../search/parse.ts'
import { historyText, progressText, scopeText, testMarks, testsSentence } from './test-sentence.ts'

const counts = { failing: 3, newly: 2, flaky: 5, slowest: 9, skipped: 0, all: 9 }

describe('the sentence of tests', () => {
  test.each([
    [
      counts,
      'Of 9 tests in 100 builds of checkout on main, 3 fail, 2 of them newly, and 5 are flaky.',
    ],
    [
      { ...counts, failing: 1, newly: 1, flaky: 1 },
      'Of 9 tests in 100 builds of checkout on main, 1 fails, newly, and 1 is flaky.',
    ],
    [
      { ...counts, failing: 0, newly: 0, flaky: 0 },
      'None of 9 tests fails in 100 builds of checkout on main.',
    ],
    [
      { ...counts, failing: 0, newly: 0 },
      'Of 9 tests in 100 builds of checkout on main, none fails, but 5 are flaky.',
    ],
    [{ ...counts, all: 0 }, 'No tests in 100 builds of checkout on main.'],
  ])('of %o', (of, sentence) => {
    const scope = scopeText(parse('project:checkout value:"Git branch=main"'))
    expect(testsSentence({ counts: of }, 100, scope)).toBe(sentence)
  })

  test('of builds without any results counts none of them', () => {
    expect(testsSentence({ counts: { ...counts, all: 0 } }, 0, ' of cut2')).toBe(
      'No test results in builds of cut2.',
    )
  })

  test('says that it is about some of them only', () => {
    expect(testsSentence({ counts: { ...counts, all: 0 } }, 1, '', true)).toBe(
      'Filtered: no tests in 1 build.',
    )
  })

  test.each([
    ['', ''],
    ['project:"my shop"', ' of my shop'],
    ['project:shop buildOutcome:failed', ' of shop that match the query'],
    ['user:ada', ' that match the query'],
  ])('names what the query %s narrows to', (query, scope) => {
    expect(scopeText(parse(query))).toBe(scope)
  })
})

const progress: TestsProgress = {
  ...{ read: 40, of: 100, kept: 12, withoutTests: 0, unmatched: 0, partial: 0 },
  ...{ unreadable: 0, more: true, searched: true },
}

test.each([
  [{}, 'Read 40 of 100 builds, 12 of them cached.'],
  [{ read: 0, of: 0, kept: 0, listing: true }, 'Looking for builds…'],
  [{ read: 0, kept: 0 }, 'Read 0 of 100 builds.'],
  [{ read: 4, of: 20, kept: 0, listing: true }, 'Read 4 of 20 builds. Looking for more builds…'],
  [{ read: 0, of: 0, kept: 0 }, 'Read 0 builds.'],
  [
    { read: 100, kept: 0, withoutTests: 7, unreadable: 1 },
    "Read 100 builds. 7 have no test results, 1 can't be read.",
  ],
  [
    { unmatched: 1, searched: false },
    "Read 40 of 100 builds, 12 of them cached. 1 doesn't match the query. The build server doesn't search, so Sightline checks each build.",
  ],
  [
    { exported: true },
    "Read 40 of 100 builds, 12 of them cached. The build server's list of builds can't be read, so they come from its export stream.",
  ],
])('progress %o reads as a sentence', (more, text) => {
  expect(progressText({ ...progress, ...more }, true)).toBe(text)
})

test('progress of a reading that was stopped looks for nothing', () => {
  const early = { ...progress, read: 0, of: 0, kept: 0, listing: true }
  expect(progressText(early, false)).toBe('')
  expect(progressText({ ...early, read: 4, of: 20 }, false)).toBe('Read 4 of 20 builds.')
})

const row: TestRow = {
  test: { project: 'shop', task: ':test', className: 'com.acme.ShopTest', name: 'adds' },
  ...{ state: 'failing', isNew: true, inARow: 2, since: 1, flaky: 3, runs: 3, failed: 2, p95: 1 },
  history: [
    [0, 'failed'],
    [1, 'failed'],
    [2, 'passed'],
  ],
}

test('a failure that is older than the builds that were read is at least so many in a row', () => {
  expect(testMarks({ ...row, isNew: false, flaky: 0 }).map(({ word }) => word)).toEqual([
    'Failing, 2 or more in a row',
  ])
})

test('a test that fails and is flaky has both marks, and its history in words', () => {
  expect(testMarks(row).map(({ word }) => word)).toEqual([
    'Newly failing, 2 in a row',
    'Flaky 3 times',
  ])
  expect(historyText(row)).toBe('Newest first: 2 failed, 1 passed.')
})
