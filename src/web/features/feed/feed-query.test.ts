import { expect, test } from 'vitest'
import { check } from '../../../search/check.ts'
import { parse } from '../../../search/parse.ts'
import { filterQuery, readQuery } from './feed-query.ts'

test.each([
  ['project:shop', { isRelative: false, needsZone: false }],
  ['buildStartTime>-1h', { isRelative: true, needsZone: false }],
  ['buildStartTime:2026-11-20', { isRelative: false, needsZone: true }],
  ['buildStartTime>2026-11-20T10:00:00Z', { isRelative: false, needsZone: false }],
  ['tag:a and tag:b or tag:c', { isRelative: false, needsZone: false }],
])('%s can be followed', (text, needs) => {
  expect(readQuery(text)).toMatchObject(needs)
})

test.each(['', '  ', 'projct:shop', 'project:', '(tag:a', 'shop'])(
  '%j cannot be followed',
  (text) => {
    expect(readQuery(text)).toBeUndefined()
  },
)

test.each([
  [{}, '', ''],
  [{ tool: ['gradle'] }, '', 'buildTool:gradle'],
  [
    { project: ['core', 'my app'], outcome: ['failed'] },
    '',
    '(project:core or project:"my app") buildOutcome:failed',
  ],
  [{}, ' tag:ci or tag:main ', 'tag:ci or tag:main'],
  [{ user: ['a:b'] }, 'tag:ci or tag:main', '(tag:ci or tag:main) user:"a:b"'],
  [{ outcome: ['unknown'] }, '', ''],
])('%j beside “%s” is the query “%s”', (filter, followed, query) => {
  expect(filterQuery(filter, followed)).toBe(query)
  expect(check(parse(query)).filter(({ severity }) => severity === 'error')).toEqual([])
})
