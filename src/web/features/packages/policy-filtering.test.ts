import { expect, test } from 'vitest'
import { groupByPolicy, type PolicyGroup } from '../../../policy/policy-group.ts'
import { policyResult } from '../../../policy/policy-result.test-support.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import {
  createPolicyFiltering,
  type PolicyFiltering,
  type FilteredPolicies,
} from './policy-filtering.ts'
import { scanAddress } from './scan-address.ts'

/** A clock on which each look takes 1 ms, so that few policies are a long search. */
function slowFiltering(): {
  readonly filtering: PolicyFiltering
  readonly results: readonly FilteredPolicies[]
  /** Goes on until nothing is left to do. */
  readonly goOn: () => void
} {
  const manual = createManualClock()
  let looks = 0
  const clock: Clock = { ...manual, now: () => manual.now() + (looks += 1) }
  const results: FilteredPolicies[] = []
  const filtering = createPolicyFiltering(clock, (answer) => results.push(answer))
  return {
    filtering,
    results,
    goOn: () => {
      while (manual.pending() > 0) manual.advance(1)
    },
  }
}

function policies(count: number): readonly PolicyGroup[] {
  const results = Array.from({ length: count }, (_, index) =>
    policyResult({ policyUri: `/policies/A/p${index}` }),
  )
  return groupByPolicy(results)
}

const withText = (text: string) => scanAddress.read(new URLSearchParams({ q: text }))
const namesOf = (answer: FilteredPolicies | undefined) => answer?.found.map(({ name }) => name)

test('a few policies are narrowed at once', () => {
  const { filtering, results } = slowFiltering()
  const groups = policies(2)
  const address = withText('p1')
  filtering.filter({ groups, address })
  expect(results).toEqual([{ groups, address, found: [groups[1]] }])
})

test('many are narrowed later, and the next key ends what is under way', () => {
  const { filtering, results, goOn } = slowFiltering()
  const groups = policies(40)
  filtering.filter({ groups, address: withText('p') })
  filtering.filter({ groups, address: withText('p3') })
  expect(results).toEqual([])
  goOn()
  expect(results).toHaveLength(1)
  expect(namesOf(results[0])?.slice(0, 2)).toEqual(['p3', 'p30'])
})

test('results that come faster than they can be searched hold nothing up', () => {
  const { filtering, results, goOn } = slowFiltering()
  const address = withText('p3')
  const [first, last] = [policies(30), policies(40)]
  filtering.filter({ groups: first, address })
  filtering.filter({ groups: policies(35), address })
  filtering.filter({ groups: last, address })
  goOn()
  expect(results.map(({ groups }) => groups)).toEqual([first, last])
  expect(namesOf(results[1])).toContain('p39')
})

test('nothing is shown after it was stopped, and it can be requested again', () => {
  const { filtering, results, goOn } = slowFiltering()
  const groups = policies(40)
  const address = withText('p3')
  filtering.filter({ groups, address })
  filtering.filter({ groups: policies(41), address })
  filtering.stop()
  goOn()
  expect(results).toEqual([])
  filtering.filter({ groups, address })
  goOn()
  expect(results).toHaveLength(1)
})
