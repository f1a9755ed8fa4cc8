import { expect, test } from 'vitest'
import { check } from '../../../search/check.ts'
import { parse } from '../../../search/parse.ts'
import { querySummary } from './query-problems.ts'

function summary(text: string): string {
  const query = parse(text)
  return querySummary(query, check(query), 'UTC')
}

test('a query without errors is explained', () => {
  expect(summary('project:checkout')).toMatch(/^Builds .*checkout.*\.$/)
})

test('errors are counted, and the first is shown in place of what the query might mean', () => {
  expect(summary('projct:a usr:b')).toMatch(/^2 errors\. .*projct/)
})

test('a warning does not keep a query from being explained', () => {
  expect(summary('tag:a and tag:b or tag:c')).toMatch(/^1 warning\. .* Builds /)
})

test('nothing has no summary', () => {
  expect(summary(' ')).toBe('')
})
