import type { Facts } from '../../../protocol/facts.ts'
import { factReader, type FactValue } from '../../../search/fact-value.ts'
import { findField } from '../../../search/fields.ts'

/** A value and how many builds have it. */
export interface SeenValue {
  readonly value: string
  readonly count: number
}

/**
 * The values that builds have for a field, most frequent first, then by name. Of a field of pairs:
 * the names, or the values under one name, in any case of letters.
 */
export function seenValues(
  builds: Iterable<Facts>,
  fieldName: string,
  pairName?: string,
): readonly SeenValue[] {
  const field = findField(fieldName)
  if (field === undefined) return []
  const read = factReader(field)
  const counts = new Map<string, number>()
  for (const facts of builds) {
    for (const value of new Set(textsOf(read(facts), pairName?.toLowerCase()))) {
      counts.set(value, (counts.get(value) ?? 0) + 1)
    }
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}

function textsOf(value: FactValue, pairName: string | undefined): readonly string[] {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object') return [String(value)]
  return value.flatMap((entry) => {
    if (typeof entry === 'string') return [entry]
    if (pairName === undefined) return [entry.name]
    return entry.name.toLowerCase() === pairName ? [entry.value] : []
  })
}
