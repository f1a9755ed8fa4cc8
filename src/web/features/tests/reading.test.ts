import { expect, test } from 'vitest'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { unreadWords } from './reading.tsx'

test.each([
  [401, "rejects Sightline's credentials", 'must renew them'],
  [403, "isn't allowed to read tests", '“Access build data via the API”'],
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
