import { expect, test } from 'vitest'
import { groupsAddress } from './failure-origin-view.tsx'

test.each([
  ['checkout', 'project:checkout buildOutcome:failed buildStartTime:>-14d'],
  ['check "out"', String.raw`project:"check \"out\"" buildOutcome:failed buildStartTime:>-14d`],
  [undefined, 'buildOutcome:failed buildStartTime:>-14d'],
])('the failures of the project %s are grouped, and of no other', (project, query) => {
  const { searchParams } = new URL(groupsAddress({ project }), 'http://a')
  expect(searchParams.get('q')).toBe(query)
})
