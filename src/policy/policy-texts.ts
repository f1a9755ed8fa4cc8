import type { PolicyGroup } from './policy-group.ts'
import { detailsText } from './result-details.ts'

/** What is searched of policies: made when it is first wanted, and remembered with the policy. */
export interface PolicyTexts {
  /**
   * The texts of a policy in lower case, part by part, each made only when it is asked for: a policy
   * may have fifty thousand results. No word goes from one part over into the next.
   */
  readonly partsOf: (group: PolicyGroup) => Iterable<string>
}

/** So many results are made a part together: a fraction of a millisecond. */
const resultsTogether = 50

/** Nothing is remembered yet. */
export function createPolicyTexts(): PolicyTexts {
  const known = new WeakMap<PolicyGroup, string[]>()
  return {
    partsOf: function* (group) {
      const parts = known.get(group) ?? []
      known.set(group, parts)
      for (let index = 0; ; index++) {
        const part = parts[index] ?? partOf(group, index)
        if (part === undefined) return
        // The other of two searches that go through the same policy may have been here.
        parts[index] = part
        yield part
      }
    },
  }
}

/** First what the policy says itself, then its results; undefined after the last of them. */
function partOf(group: PolicyGroup, index: number): string | undefined {
  const { policyUri, description, remediation, labels, results } = group
  if (index === 0) {
    return textOf([policyUri, description, remediation, ...Object.entries(labels).flat()])
  }
  const some = results.slice((index - 1) * resultsTogether, index * resultsTogether)
  return some.length === 0 ? undefined : textOf(some.map(({ details }) => detailsText(details)))
}

function textOf(lines: readonly string[]): string {
  return lines.join('\n').toLowerCase()
}
