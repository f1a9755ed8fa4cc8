import { detailsText } from '../../../policy/result-details.ts'
import type { PolicyResult } from '../../../protocol/policy-result.ts'
import { statuses } from './scan-address.ts'

/** A millisecond or two of work; of a policy with more results than that, the worst are looked through. */
const mostLookedThrough = 1000

/**
 * The first `most` results of a policy that was found by `text`: those that have one of its words in
 * front, and among them, as among the others, the failing ones.
 */
export function firstResults(
  results: readonly PolicyResult[],
  most: number,
  text: string,
): readonly PolicyResult[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return worstResults(results, most)
  const looked = worstResults(results, Math.max(most, mostLookedThrough))
  const has = looked.map(({ details }) => {
    const all = detailsText(details).toLowerCase()
    return words.some((word) => all.includes(word))
  })
  const found = looked.filter((_, index) => has[index])
  const others = looked.filter((_, index) => !has[index])
  return [...found, ...others].slice(0, most)
}

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
