import { expect, test } from 'vitest'
import { branchOf, userAndHostOf } from './build-table.tsx'
import { exampleRow } from './example-view.test-support.ts'

test('the branch is the custom value that says so, in any case of letters', () => {
  const values = [
    { name: 'CI job', value: 'check' },
    { name: 'git Branch', value: 'main' },
  ]
  expect(branchOf(exampleRow(1, { facts: { values } }))).toBe('main')
  expect(branchOf(exampleRow(1, { facts: { values: [] } }))).toBeUndefined()
  expect(branchOf(exampleRow(1))).toBeUndefined()
})

test('user and host are said together, or what of them is known', () => {
  const text = (user: string | null, hostname: string | null): string | undefined =>
    userAndHostOf(exampleRow(1, { facts: { user, hostname } }))
  expect(text('alice', 'agent-12')).toBe('alice@agent-12')
  expect(text(null, 'agent-12')).toBe('agent-12')
  expect(text('alice', null)).toBe('alice')
  expect(text(null, null)).toBeUndefined()
})
