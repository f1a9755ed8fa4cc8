import { expect, test } from 'vitest'
import { groupByPolicy, type PolicyGroup } from '../../../policy/policy-group.ts'
import { policyResult } from '../../../policy/policy-result.test-support.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { createManualClock } from '../../../protocol/manual-clock.ts'
import { createPolicySieve, type PolicySieve, type SieveAnswer } from './policy-filtering.ts'
import { scanAddress } from './scan-address.ts'

/** A clock on which each look takes 1 ms, so that few policies are a long search. */
function slowSieve(): {
  readonly sieve: PolicySieve
  readonly told: readonly SieveAnswer[]
  /** Goes on until nothing is left to do. */
  readonly goOn: () => void
} {
  const manual = createManualClock()
  let looks = 0
  const clock: Clock = { ...manual, now: () => manual.now() + (looks += 1) }
  const told: SieveAnswer[] = []
  const sieve = createPolicySieve(clock, (answer) => told.push(answer))
  return {
    sieve,
    told,
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
const namesOf = (answer: SieveAnswer | undefined) => answer?.found.map(({ name }) => name)

test('a few policies are narrowed at once', () => {
  const { sieve, told } = slowSieve()
  const groups = policies(2)
  const address = withText('p1')
  sieve.ask({ groups, address })
  expect(told).toEqual([{ groups, address, found: [groups[1]] }])
})

test('many are narrowed later, and the next key ends what is under way', () => {
  const { sieve, told, goOn } = slowSieve()
  const groups = policies(40)
  sieve.ask({ groups, address: withText('p') })
  sieve.ask({ groups, address: withText('p3') })
  expect(told).toEqual([])
  goOn()
  expect(told).toHaveLength(1)
  expect(namesOf(told[0])?.slice(0, 2)).toEqual(['p3', 'p30'])
})

test('results that come faster than they can be searched hold nothing up', () => {
  const { sieve, told, goOn } = slowSieve()
  const address = withText('p3')
  const [first, last] = [policies(30), policies(40)]
  sieve.ask({ groups: first, address })
  sieve.ask({ groups: policies(35), address })
  sieve.ask({ groups: last, address })
  goOn()
  expect(told.map(({ groups }) => groups)).toEqual([first, last])
  expect(namesOf(told[1])).toContain('p39')
})

test('nothing is told after it was stopped, and it can be asked again', () => {
  const { sieve, told, goOn } = slowSieve()
  const groups = policies(40)
  const address = withText('p3')
  sieve.ask({ groups, address })
  sieve.ask({ groups: policies(41), address })
  sieve.stop()
  goOn()
  expect(told).toEqual([])
  sieve.ask({ groups, address })
  goOn()
  expect(told).toHaveLength(1)
})
