import { expect, test } from 'vitest'
import { readQuery } from './read-query.ts'

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
