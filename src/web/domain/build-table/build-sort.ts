import type { Facts } from '../../../protocol/facts.ts'
import { columnMeaning, type TableBuild } from './build-columns.tsx'

/** By which column builds are sorted, and from which end. */
export interface BuildSort {
  readonly column: string
  readonly isDescending: boolean
}

/**
 * The next order of a column that is sorted again and again: from the end that is looked for first
 * (the longest, the newest, A), from the other one, and then as the list came (undefined).
 */
export function nextSort(now: BuildSort | undefined, column: string): BuildSort | undefined {
  const first = columnMeaning(column).isNumber === true
  if (now?.column !== column) return { column, isDescending: first }
  return now.isDescending === first ? { column, isDescending: !first } : undefined
}

/** Builds by a column; those without a value come last, and of equals the order stays. */
export function sortedBuilds<Build extends TableBuild>(
  builds: readonly Build[],
  { column, isDescending }: BuildSort,
): readonly Build[] {
  const keyOf = sortKey(column)
  const sign = isDescending ? -1 : 1
  return builds
    .map((build) => ({ build, key: keyOf(build.facts) }))
    .sort((a, b) => {
      if (a.key === undefined || b.key === undefined) {
        return Number(a.key === undefined) - Number(b.key === undefined)
      }
      return a.key === b.key ? 0 : a.key < b.key ? -sign : sign
    })
    .map(({ build }) => build)
}

/** What builds are sorted by: numbers for times and durations, else the text in any case of letters. */
function sortKey(column: string): (facts: Facts) => string | number | undefined {
  switch (column) {
    case 'duration':
      return ({ durationMs }) => durationMs ?? undefined
    case 'started':
      return ({ startTime }) => startTime ?? undefined
    case 'received':
      return ({ receivedAt }) => receivedAt
  }
  const { text } = columnMeaning(column)
  return (facts) => {
    const value = text(facts) ?? ''
    return value === '' ? undefined : value.toLowerCase()
  }
}
