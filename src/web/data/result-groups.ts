import { groupByPolicy, type PolicyGroup } from '../../policy/policy-group.ts'
import { policyKey } from '../../policy/policy-name.ts'
import type { PolicyResult } from '../../protocol/policy-result.ts'

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
  const results = new Map<string, PolicyResult[]>()
  const grouped = new Map<string, PolicyGroup>()
  const changed = new Set<string>()
  let count = 0
  return {
    add: (result) => {
      const key = policyKey(result.policyUri)
      const ofPolicy = results.get(key)
      if (ofPolicy === undefined) results.set(key, [result])
      else ofPolicy.push(result)
      changed.add(key)
      count += 1
    },
    count: () => count,
    groups: () => {
      for (const key of changed) {
        const [group] = groupByPolicy([...(results.get(key) ?? [])])
        if (group !== undefined) grouped.set(key, group)
      }
      changed.clear()
      return [...grouped.values()]
    },
  }
}
