import fc from 'fast-check'
import { expect, test } from 'vitest'
import { policyResult } from '../../../policy/policy-result.test-support.ts'
import { statuses } from './scan-address.ts'
import { worstResults } from './worst-results.ts'

test('the first of all results are those of sorting them, each status in its order', () => {
  const result = fc
    .record({ status: fc.constantFrom(...statuses), description: fc.string() })
    .map(policyResult)
  fc.assert(
    fc.property(fc.array(result), fc.nat(12), (results, most) => {
      const sorted = [...results].sort(
        (a, b) => statuses.indexOf(a.status) - statuses.indexOf(b.status),
      )
      expect(worstResults(results, most)).toEqual(sorted.slice(0, most))
    }),
  )
})
