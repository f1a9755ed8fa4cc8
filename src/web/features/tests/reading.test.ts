import { expect, test } from 'vitest'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { answeredFor, unreadWords } from './reading.tsx'

test('tests of other builds are not shown for a query', () => {
  const question = { query: 'project:a', builds: 100, search: '', offset: 0 }
  const counts = { failing: 1, newly: 0, flaky: 0, slowest: 1, skipped: 0, all: 1 }
  const empty = { failing: [], newly: [], flaky: [], slowest: [], skipped: [], all: [] }
  const last = { question, summary: { counts, lists: empty, rows: [], builds: [] } }
  expect(answeredFor({ ...question, builds: 200, search: 'cart' }, last)).toBe(last)
  expect(answeredFor({ ...question, query: 'project:b' }, last)).toBeUndefined()
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
