import { expect, test } from 'vitest'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import type { TestReportState } from '../../data/tests/test-report.ts'
import { answeredFor, noResultsText, readingSentence, unreadWords } from './reading.tsx'

test('tests of other builds are not shown for a query', () => {
  const question = { query: 'project:a', builds: 100, search: '', offset: 0 }
  const counts = { failing: 1, newly: 0, flaky: 0, slowest: 1, skipped: 0, all: 1 }
  const empty = { failing: [], newly: [], flaky: [], slowest: [], skipped: [], all: [] }
  const last = { question, summary: { counts, lists: empty, rows: [], builds: [] } }
  expect(answeredFor({ ...question, builds: 200, search: 'cart' }, last)).toBe(last)
  expect(answeredFor({ ...question, query: 'project:b' }, last)).toBeUndefined()
})

test('that a server is busy is said while it is waited for', () => {
  const progress = {
    ...{ read: 0, of: 100, kept: 0, withoutTests: 0, unmatched: 0, partial: 0, unreadable: 0 },
    ...{ more: false, searched: true },
  }
  const view = { progress, summary: undefined, runs: undefined }
  const sentence = (state: TestReportState, busy?: boolean) =>
    readingSentence({ ...view, state, progress: { ...progress, busy } }, undefined, '', false)
  const reading = { is: 'reading', since: 0 } as const
  expect(sentence(reading)).toBe('Reading the tests of builds…')
  expect(sentence(reading, true)).toBe(
    'The build server is busy. Sightline keeps trying to read tests.',
  )
  expect(sentence({ is: 'waiting', until: 9, reason: 'Too many.' })).toBe(
    'Sightline is busy. It keeps trying to read tests.',
  )
})

test.each([
  [429, 6_500, 'Sightline retried several times. Try again in 7 s.'],
  [503, 30_000, 'Sightline retried several times. Try again in 30 s.'],
])('a build server that stays busy (%d) is said to be that', (upstreamStatus, ms, meaning) => {
  const detail = problem(502, 'builds-unlisted', 'Title', 'Refused.', { upstreamStatus })
  expect(unreadWords(new ProblemError(detail, { retryAfterMs: ms }))).toMatchObject({
    title: 'The build server is too busy to read tests.',
    meaning,
  })
})

test.each([
  [401, "rejects Sightline's credentials", 'must renew them'],
  [403, "isn't allowed to read tests", '“Access build data via the API”'],
  [404, "can't list builds", 'nor an export stream'],
  [500, "Can't read tests right now", 'Try again'],
])(
  'tests of builds that are refused with %d have a next step',
  (upstreamStatus, title, meaning) => {
    const more = { upstreamStatus }
    const fault = new ProblemError(problem(502, 'builds-unlisted', 'Title', 'Refused.', more))
    const words = unreadWords(fault)
    expect(words.title).toContain(title)
    expect(words.meaning).toContain(meaning)
  },
)

test.each([
  [{ of: 0, unmatched: 0, more: false }, false, 'Tests appear here once'],
  [{ of: 0, unmatched: 0, more: false }, true, 'No builds match the query.'],
  [{ of: 3, unmatched: 3, more: false }, true, 'No builds match the query.'],
  [{ of: 100, unmatched: 100, more: true }, true, 'None of the builds read so far match'],
  [{ of: 3, unmatched: 2, more: false }, true, 'Tests are read from the test events'],
])('no results of %j, with a query %s, are explained', (progress, hasQuery, text) => {
  expect(noResultsText(progress, hasQuery)).toContain(text)
})
