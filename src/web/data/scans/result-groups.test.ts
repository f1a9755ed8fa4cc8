import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupByPolicy } from '../../../policy/policy-group.ts'
import { policyResult } from '../../../policy/policy-result.test-support.ts'
import { createResultGroups } from './result-groups.ts'

test('results in any pieces are grouped as all of them at once', () => {
  const result = fc
    .record({
      policyUri: fc.constantFrom(
        '/policies/A/a',
        'https://x.example/policies/A/a',
        '/policies/B/b',
      ),
      status: fc.constantFrom('satisfied' as const, 'unsatisfied' as const, 'unknown' as const),
      description: fc.constantFrom('', 'one', 'two'),
    })
    .map(policyResult)
  fc.assert(
    fc.property(fc.array(fc.array(result, { maxLength: 4 }), { maxLength: 5 }), (pieces) => {
      const together = createResultGroups()
      for (const piece of pieces) {
        for (const one of piece) together.add(one)
        together.groups()
      }
      expect(together.groups()).toEqual(groupByPolicy(pieces.flat()))
      expect(together.count()).toBe(pieces.flat().length)
    }),
  )
})

test('a policy without a new result is the same object as before', () => {
  const together = createResultGroups()
  together.add(policyResult({ policyUri: '/policies/A/a' }))
  const [before] = together.groups()
  together.add(policyResult({ policyUri: '/policies/B/b' }))
  expect(together.groups()[0]).toBe(before)
})
