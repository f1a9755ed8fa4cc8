import { useCallback, useEffect, useState } from 'react'
import type { Facts } from '../../../protocol/facts.ts'
import { factReader, type FactValue } from '../../../search/evaluate/fact-value.ts'
import { findField } from '../../../search/fields/fields.ts'
import { format } from '../../../search/format.ts'
import { parse } from '../../../search/parse.ts'
import { leavesOf, type Query } from '../../../search/tree.ts'
import type { Moment } from '../../../search/values/condition.ts'
import { readCondition } from '../../../search/values/read-condition.ts'
import { usePreferences, usePreferenceStore } from '../device-preferences.ts'

export interface QueryAssistance {
  /** IANA zone in which times without a zone are read. */
  readonly timeZone: string
  /** Epoch ms. */
  readonly now: () => number
  /** The release of the server that answers, such as `2024.1.1`; undefined where it is not known. */
  readonly serverRelease?: string
  /** Values seen in the data, most frequent first: of a field, of one name of its pairs, or the names. */
  readonly values: (
    fieldName: string,
    pairName?: string,
  ) => readonly { readonly value: string; readonly count: number }[]
  /** Queries that were run before, newest first. */
  readonly history: readonly string[]
}

/** A value once it has stayed the same for `ms`; until then the one before. */
export function useRested<T>(value: T, ms: number): T {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => {
      setRested(value)
    }, ms)
    return () => {
      clearTimeout(timer)
    }
  }, [value, ms])
  return rested
}

/** How many queries are remembered, and the longest of them in characters. */
const most = 50
const longest = 2000

/** The queries that were run, newest first, after one more, which takes the place of its other spellings. */
export function withPastQuery(past: readonly string[], text: string): readonly string[] {
  if (text.trim() === '' || text.length > longest) return past
  const key = canonical(text)
  return [text, ...past.filter((other) => canonical(other) !== key)].slice(0, most)
}

function canonical(text: string): string {
  return format(parse(text))
}

/** The queries that were run on this device, newest first, and how to remember one more. */
export function usePastQueries(): readonly [readonly string[], (text: string) => void] {
  const store = usePreferenceStore()
  const { pastQueries } = usePreferences()
  const remember = useCallback(
    (text: string) => {
      store.change({ pastQueries: withPastQuery(store.get().pastQueries, text) })
    },
    [store],
  )
  return [pastQueries, remember]
}

/**
 * The values that builds have for a field, and how many have each: most frequent first, then by name. Of a field of pairs:
 * the names, or the values under one name, in any case of letters.
 */
export function seenValues(
  builds: Iterable<Facts>,
  fieldName: string,
  pairName?: string,
): readonly { readonly value: string; readonly count: number }[] {
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

/** The points in time that a query names: whether it needs a zone, and whether its meaning moves with time. */
export function momentsIn({ root }: Query): readonly Moment[] {
  return leavesOf(root).flatMap((leaf) => {
    if (leaf.type !== 'term') return []
    const field = findField(leaf.field.name)
    const reading = field && readCondition(leaf, field)
    if (!reading?.ok || reading.condition.type !== 'instant') return []
    const { low, high } = reading.condition
    return [low, high].flatMap((edge) => (edge === undefined ? [] : [edge.moment]))
  })
}
