import type { PolicyResult } from '../../../protocol/policy-result.ts'
import { statuses } from './scan-address.ts'

/** The first `most` results with the failing ones in front; of fifty thousand, none is sorted. */
export function worstResults(
  results: readonly PolicyResult[],
  most: number,
): readonly PolicyResult[] {
  const found: PolicyResult[] = []
  for (const wanted of statuses) {
    for (const result of results) {
      if (found.length === most) return found
      if (result.status === wanted) found.push(result)
    }
  }
  return found
}
