import type { Facts } from '../../../protocol/facts.ts'
import { check } from '../../../search/check.ts'
import type { AskedAt } from '../../../search/condition-truth.ts'
import { type Answer, compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { momentsIn } from '../../ui/query-editor/moments-in.ts'

/** A query that can be followed. */
export interface ReadQuery {
  /** Whether what it means goes on with the time, as "in the last hour" does. */
  readonly isRelative: boolean
  /** Whether it has times without a zone. */
  readonly needsZone: boolean
  readonly answerAt: (at: AskedAt) => (facts: Facts) => Answer
}

/** Reads a query; undefined where there is none, and where it has errors. */
export function readQuery(text: string): ReadQuery | undefined {
  const query = parse(text)
  const isReadable = check(query).every(({ severity }) => severity !== 'error')
  if (query.root === undefined || !isReadable) return undefined
  const types = momentsIn(query).map(({ type }) => type)
  return {
    isRelative: types.includes('relative'),
    needsZone: types.includes('local'),
    answerAt: (at) => compile(query, at),
  }
}
