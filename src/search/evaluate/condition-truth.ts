import type { Field } from '../fields/field.ts'
import type { Condition, MomentEdge, TextPattern } from '../values/condition.ts'
import { momentTime } from '../values/moment-time.ts'
import { type FactValue, isAlsoReadJoined } from './fact-value.ts'
import { textMatcher } from './wildcard.ts'

/** When and where a query is evaluated: epoch ms and an IANA zone. */
export interface EvaluatedAt {
  readonly now: number
  readonly timeZone: string
  /**
   * What an absent fact means. A server has all there is of a build, so that what it doesn't have is
   * `none`; by default it is `unknown`, as to whoever knows only a part.
   */
  readonly absent?: 'unknown' | 'none'
}

/**
 * Whether the value of the field that `read` gives meets the condition, compiled once. Undefined (not
 * known here) is unknown, null (no value) is no; of a list one entry has to match, so an empty one
 * is no. Moments are resolved here, not with each value.
 */
export function conditionTruth<T>(
  condition: Condition,
  field: Field,
  at: EvaluatedAt,
  read: (source: T) => FactValue,
): (source: T) => Truth {
  switch (condition.type) {
    case 'known':
      return (source) => {
        const value = read(source)
        if (value === undefined) return unknown
        return truthOf(value !== null && (typeof value !== 'object' || value.length > 0))
      }
    case 'boolean':
      return (source) => {
        const value = read(source)
        if (typeof value === 'boolean') return truthOf(value === condition.wanted)
        return value === null ? no : unknown
      }
    case 'text':
      return textTruth(
        textMatcher(condition.pattern),
        isAlsoReadJoined(field) && mayJoin(condition.pattern),
        read,
      )
    case 'pair':
      return pairTruth(textMatcher(condition.name), textMatcher(condition.value), read)
    case 'amount':
      return numberTruth(numberEdge(condition.low), numberEdge(condition.high), read)
    case 'instant':
      return numberTruth(instantEdge(condition.low, at), instantEdge(condition.high, at), read)
  }
}

function textTruth<T>(
  matches: (text: string) => boolean,
  joins: boolean,
  read: (source: T) => FactValue,
): (source: T) => Truth {
  return (source) => {
    const value = read(source)
    if (typeof value === 'string') return truthOf(matches(value))
    if (value === undefined) return unknown
    if (value === null) return no
    if (typeof value !== 'object') return truthOf(matches(String(value)))
    for (const entry of value) if (typeof entry === 'string' && matches(entry)) return yes
    if (!joins) return no
    const texts = value.filter((entry) => typeof entry === 'string')
    return truthOf(texts.length > 1 && matches(texts.join(' ')))
  }
}

/** Without a space and without a gap no pattern can match across two entries: they are not joined. */
function mayJoin(pattern: TextPattern): boolean {
  const written = pattern.filter((part) => part !== '')
  return written.length > 1 || written.some((part) => part.includes(' '))
}

function pairTruth<T>(
  nameMatches: (text: string) => boolean,
  valueMatches: (text: string) => boolean,
  read: (source: T) => FactValue,
): (source: T) => Truth {
  return (source) => {
    const value = read(source)
    if (value === null) return no
    if (typeof value !== 'object') return unknown
    for (const entry of value) {
      if (typeof entry === 'string') continue
      if (nameMatches(entry.name) && valueMatches(entry.value)) return yes
    }
    return no
  }
}

interface NumberEdge {
  readonly limit: number
  readonly inclusive: boolean
}

function numberEdge(edge: { amount: number; inclusive: boolean } | undefined) {
  return edge && { limit: edge.amount, inclusive: edge.inclusive }
}

function instantEdge(edge: MomentEdge | undefined, at: EvaluatedAt): NumberEdge | undefined {
  return edge && { limit: momentTime(edge.moment, at), inclusive: edge.inclusive }
}

function numberTruth<T>(
  low: NumberEdge | undefined,
  high: NumberEdge | undefined,
  read: (source: T) => FactValue,
): (source: T) => Truth {
  const least = low?.limit ?? -Infinity
  const most = high?.limit ?? Infinity
  const withLeast = low?.inclusive ?? true
  const withMost = high?.inclusive ?? true
  return (source) => {
    const value = read(source)
    if (typeof value !== 'number') return value === null ? no : unknown
    const above = withLeast ? value >= least : value > least
    return truthOf(above && (withMost ? value <= most : value < most))
  }
}

/**
 * Kleene's three values as small integers, so that `and` is the least, `or` the greatest and `not`
 * what is left to two. Unknown: the facts needed to decide are not known here.
 */
export type Truth = typeof no | typeof unknown | typeof yes

export const no = 0
export const unknown = 1
export const yes = 2

function truthOf(holds: boolean): Truth {
  return holds ? yes : no
}
