import { expect, test } from 'vitest'
import { check } from '../../../search/check.ts'
import { parse } from '../../../search/parse.ts'
import { filterQuery } from './filter-query.ts'

test.each([
  [{}, '', ''],
  [{ tool: ['gradle'] }, '', 'buildTool:gradle'],
  [
    { project: ['core', 'my app'], outcome: ['failed'] },
    '',
    'buildOutcome:failed (project:core or project:"my app")',
  ],
  [{}, ' tag:ci or tag:main ', 'tag:ci or tag:main'],
  [{ user: ['a:b'] }, 'tag:ci or tag:main', '(tag:ci or tag:main) user:"a:b"'],
  [{ outcome: ['unknown'] }, '', ''],
])('%j beside “%s” is the query “%s”', (filter, followed, query) => {
  expect(filterQuery(filter, followed)).toBe(query)
  expect(check(parse(query)).filter(({ severity }) => severity === 'error')).toEqual([])
})
