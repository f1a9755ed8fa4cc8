import { expect, test } from 'vitest'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { conflictIn, replacing } from './saved-queries.ts'

const current = {
  id: 'q1',
  name: 'Failed',
  query: 'tag:theirs',
  zone: null,
  shared: true,
  mine: false,
  by: 'ben',
  changedBy: 'ben',
  changedAt: 1,
  version: 4,
}

test('what stands in the way of a change is in the response, and replaced in knowledge of it', () => {
  const fault = new ProblemError({ ...problem(409, 'saved-query-changed', 'x', 'y'), current })
  expect(conflictIn(fault)).toEqual(current)
  expect(conflictIn(new ProblemError(problem(503, 'x', 'x', 'y')))).toBeUndefined()
  const query = { name: 'Failed', query: 'tag:mine', zone: 'UTC', shared: true }
  expect(replacing({ is: 'save', query }, current)).toEqual({
    is: 'change',
    id: 'q1',
    change: { version: 4, query: 'tag:mine', zone: 'UTC' },
  })
  const change = { version: 1, name: 'Mine' }
  expect(replacing({ is: 'change', id: 'q1', change }, current)).toMatchObject({
    change: { version: 4, name: 'Mine' },
  })
  expect(replacing({ is: 'delete', id: 'q1', version: 1 }, current)).toMatchObject({ version: 4 })
})
