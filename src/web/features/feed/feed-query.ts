import type { Facts } from '../../../protocol/facts.ts'
import { check } from '../../../search/check.ts'
import type { EvaluatedAt } from '../../../search/evaluate/condition-truth.ts'
import { type Answer, compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { quoteValue } from '../../../search/values/text.ts'
import { writeTiles } from '../../domain/wall/tiles-in-link.ts'
import { momentsIn } from '../../ui/query-editor/query-assistance.ts'
import { type Facet, facets, type Filter } from './filter.ts'

/** A query that can be followed. */
export interface ReadQuery {
  /** Whether what it means goes on with the time, as "in the last hour" does. */
  readonly isRelative: boolean
  /** Whether it has times without a zone. */
  readonly needsZone: boolean
  readonly answerAt: (at: EvaluatedAt) => (facts: Facts) => Answer
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

const fields: Readonly<Record<Facet, string>> = {
  tool: 'buildTool',
  outcome: 'buildOutcome',
  project: 'project',
  user: 'user',
  tag: 'tag',
}

/**
 * The query that finds what a filter lets through, of what the query `followed` finds where there is
 * one; '' where all is let through. An outcome that is not known cannot be searched for, and is left out.
 */
export function filterQuery(filter: Filter, followed = ''): string {
  const terms = facets.flatMap((facet) => {
    const values = (filter[facet] ?? []).filter(
      (value) => facet !== 'outcome' || value !== 'unknown',
    )
    if (values.length === 0) return []
    const any = values.map((value) => `${fields[facet]}:${quoteValue(value)}`).join(' or ')
    return [values.length === 1 ? any : `(${any})`]
  })
  const whole = followed.trim()
  if (whole === '') return terms.join(' ')
  return terms.length === 0 ? whole : [`(${whole})`, ...terms].join(' ')
}

/** The address of the wall that shows as a tile what a filter lets through of what is followed; the wall of all projects for all. */
export function tileAddress(filter: Filter, followed: string | undefined): string {
  const query = filterQuery(filter, followed)
  const tiles = writeTiles([{ title: query, query, pinned: false }])
  return query === '' ? '/wall' : `/wall?${new URLSearchParams({ tiles }).toString()}`
}
