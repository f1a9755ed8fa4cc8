import { createGrowingGroup, type GrowingGroup, type PolicyGroup, policyKey } from '../../../policy/policy-group.ts'
import type { PolicyResult } from '../../../protocol/policy-result.ts'

/** Results that come in one by one, put together by their policy. */
export interface ResultGroups {
  readonly add: (result: PolicyResult) => void
  /** How many results there are. */
  readonly count: () => number
  /**
   * As `groupByPolicy` gives them. Policies that got no result since the last call are the same
   * objects, so that a long answer costs no more at its end than at its beginning.
   */
  readonly groups: () => readonly PolicyGroup[]
}

/** No results yet. */
export function createResultGroups(): ResultGroups {
  const growing = new Map<string, GrowingGroup>()
  const given = new Map<string, PolicyGroup>()
  const changed = new Set<string>()
  let count = 0
  return {
    add: (result) => {
      const key = policyKey(result.policyUri)
      const group = growing.get(key)
      if (group === undefined) growing.set(key, createGrowingGroup(key, result))
      else group.add(result)
      changed.add(key)
      count += 1
    },
    count: () => count,
    groups: () => {
      for (const key of changed) {
        const group = growing.get(key)?.soFar()
        if (group !== undefined) given.set(key, group)
      }
      changed.clear()
      return [...given.values()]
    },
  }
}
