import { startTransition, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import { useWorld } from '../../data/core/world-context.ts'
import { createPolicySieve, type PolicySieve, type SieveAnswer } from './policy-sieve.ts'
import type { ScanAddress } from './scan-address.ts'

/**
 * The policies that an address narrows to, of which those in `waived` are waived. While they are
 * searched the answer before stands, and is told with the address that it is of; undefined before the
 * first.
 */
export function usePolicySieve(
  groups: readonly PolicyGroup[],
  address: ScanAddress,
  waived: ReadonlyMap<PolicyGroup['key'], unknown>,
): SieveAnswer | undefined {
  const { clock } = useWorld()
  const [answer, setAnswer] = useState<SieveAnswer>()
  const isAnswered = useRef(false)
  const sieve = useRef<PolicySieve>(undefined)
  useEffect(
    () => () => {
      sieve.current?.stop()
    },
    [],
  )
  // Before the page is painted: a step back finds the page as long as it was.
  useLayoutEffect(() => {
    sieve.current ??= createPolicySieve(clock, (found) => {
      if (isAnswered.current) {
        // A hundred policies are drawn in many small steps, and no key waits for them.
        startTransition(() => {
          setAnswer(found)
        })
      } else {
        isAnswered.current = true
        setAnswer(found)
      }
    })
    sieve.current.ask({ groups, address })
  }, [clock, groups, address])
  return useMemo(() => {
    if (answer?.address.isWaived !== true) return answer
    const isWaived = ({ key, status }: PolicyGroup): boolean =>
      status === 'unsatisfied' && waived.has(key)
    return { ...answer, found: answer.found.filter(isWaived) }
  }, [answer, waived])
}
