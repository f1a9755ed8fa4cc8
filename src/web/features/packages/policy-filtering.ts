import { startTransition, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { filterPolicies } from '../../../policy/policy-filter.ts'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import { createPolicyTexts } from '../../../policy/result-details.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { policyFilter, type ScanAddress } from './scan-address.ts'
import { useServices } from '../../data/core/services.ts'

/** Policies, and what they are narrowed to. */
export interface FilterRequest {
  readonly groups: readonly PolicyGroup[]
  readonly address: ScanAddress
}

/** What is left of them. */
export interface FilteredPolicies extends FilterRequest {
  readonly found: readonly PolicyGroup[]
}

/** Narrows policies in goes so short that the page stays usable, however many results there are. */
export interface PolicyFiltering {
  /**
   * Asks; an answer that is quickly found is shown before this returns. Of several questions the last
   * one is answered: one with another address ends what is under way, and one with more results of
   * the same lets it come to its end first, as results may come faster than they can be searched.
   */
  readonly filter: (question: FilterRequest) => void
  /** Nothing is shown any more, until the next request. */
  readonly stop: () => void
}

/** After so much work in one go, ms, the browser gets to draw. */
const timeSliceMs = 6

/** Nothing was filtered yet. */
export function createPolicyFiltering(
  clock: Clock,
  onResult: (answer: FilteredPolicies) => void,
): PolicyFiltering {
  const texts = createPolicyTexts()
  let underWay: FilterRequest | undefined
  let next: FilterRequest | undefined
  let cancel: (() => void) | undefined

  function start(question: FilterRequest): void {
    underWay = question
    const steps = filterPolicies(question.groups, policyFilter(question.address), texts)
    go(question, steps)
  }

  function go(question: FilterRequest, steps: ReturnType<typeof filterPolicies>): void {
    const since = clock.now()
    for (;;) {
      const step = steps.next()
      if (step.done === true) {
        stopGoing()
        const following = next
        next = undefined
        onResult({ ...question, found: step.value })
        if (following !== undefined) start(following)
        return
      }
      if (clock.now() - since >= timeSliceMs) break
    }
    cancel = clock.after(0, () => {
      go(question, steps)
    })
  }

  function stopGoing(): void {
    cancel?.()
    cancel = undefined
    underWay = undefined
  }

  return {
    filter: (question) => {
      if (underWay?.address === question.address) {
        next = question
        return
      }
      next = undefined
      stopGoing()
      start(question)
    },
    stop: () => {
      next = undefined
      stopGoing()
    },
  }
}

/**
 * The policies that an address narrows to, of which those in `waived` are waived. While they are
 * searched the answer before stands, and is shown with the address that it is of; undefined before the
 * first.
 */
export function useFilteredPolicies(
  groups: readonly PolicyGroup[],
  address: ScanAddress,
  waived: ReadonlyMap<PolicyGroup['key'], unknown>,
): FilteredPolicies | undefined {
  const { clock } = useServices()
  const [answer, setAnswer] = useState<FilteredPolicies>()
  const isAnswered = useRef(false)
  const filtering = useRef<PolicyFiltering>(undefined)
  useEffect(
    () => () => {
      filtering.current?.stop()
    },
    [],
  )
  // Before the page is painted: a step back finds the page as long as it was.
  useLayoutEffect(() => {
    filtering.current ??= createPolicyFiltering(clock, (found) => {
      if (isAnswered.current) {
        // A hundred policies are drawn in many small steps, and no key waits for them.
        startTransition(() => {
          setAnswer(found)
        })
      } else {
        // The first results are drawn at once: a transition would wait until they come less often.
        isAnswered.current = found.groups.length > 0
        setAnswer(found)
      }
    })
    filtering.current.filter({ groups, address })
  }, [clock, groups, address])
  return useMemo(() => {
    if (answer?.address.isWaived !== true) return answer
    const isWaived = ({ key, status }: PolicyGroup): boolean =>
      status === 'unsatisfied' && waived.has(key)
    return { ...answer, found: answer.found.filter(isWaived) }
  }, [answer, waived])
}
