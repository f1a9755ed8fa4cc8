import { expect, test } from 'vitest'
import { testOwners } from './test-history.ts'

const ownerOf = testOwners({
  'com.acme': 'platform',
  'com.acme.pay': 'payments',
  ':ui:': 'web',
  'checkout:': 'shop',
})

test.each([
  ['com.acme.pay.CardTest', ':test', 'payments'],
  ['com.acme.CartTest', ':test', 'platform'],
  ['org.other.Test', ':ui:test', 'web'],
  ['org.other.Test', ':test', 'shop'],
])('%s of %s belongs to %s, the longest prefix', (className, task, owner) => {
  expect(ownerOf({ project: 'checkout', task, className, name: 'adds' })).toBe(owner)
})

test('a test that no prefix fits belongs to nobody', () => {
  const test = { project: null, task: 'check', className: null, name: 'adds' }
  expect(ownerOf(test)).toBeUndefined()
})
