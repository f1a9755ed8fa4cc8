import fc from 'fast-check'
import { expect, test } from 'vitest'
import { policyResult } from '../../../policy/policy-result.test-support.ts'
import { firstResults, worstResults } from './policy-evidence.tsx'
import { statuses } from './scan-address.ts'

const results = Array.from({ length: 400 }, (_, index) =>
  policyResult({
    status: index % 2 === 0 ? 'satisfied' : 'unsatisfied',
    details: { uris: [`https://repo-${index}.example/`] },
  }),
)

function shown(text: string, most = 3): unknown[] {
  return firstResults(results, most, text).map(({ details }) => details)
}

test('what was searched for comes first, the failing ones before the others', () => {
  expect(shown('repo-372. REPO-311. repo-399.')).toEqual([
    { uris: ['https://repo-311.example/'] },
    { uris: ['https://repo-399.example/'] },
    { uris: ['https://repo-372.example/'] },
  ])
})

test.each(['', '  ', 'the policy alone has this', 'example'])(
  'searched for “%s”, which matches them all alike, they keep their order',
  (text) => {
    expect(shown(text)).toEqual([
      { uris: ['https://repo-1.example/'] },
      { uris: ['https://repo-3.example/'] },
      { uris: ['https://repo-5.example/'] },
    ])
  },
)

test('nothing is lost or doubled on the way to the last of them', () => {
  expect(new Set(firstResults(results, 400, 'repo-7'))).toEqual(new Set(results))
  expect(firstResults(results, 500, 'repo-7')).toHaveLength(400)
})

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
