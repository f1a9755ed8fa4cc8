import { factsOfMessage } from '../../facts/merged-facts.ts'
import { Facts } from '../../protocol/facts.ts'
import { foldCase } from '../../protocol/parsed-text.ts'
import type { Condition, MomentEdge, TextPattern } from '../../search/values/condition.ts'
import type { Field } from '../../search/fields/field.ts'
import { compile } from '../../search/match.ts'
import { momentTime } from '../../search/values/moment-time.ts'
import { conditionOf } from '../../search/values/read-condition.ts'
import type { Expression, Query } from '../../search/tree.ts'
import { textMatcher } from '../../search/evaluate/wildcard.ts'
import {
  allOf,
  anyOf,
  type BetweenCondition,
  type BuildFilter,
  every,
  type ExactCondition,
  leaf,
} from '../store/build-filter.ts'
import type { Listing } from '../store/build-listing.ts'
import { messageOf, type StoredBuild } from '../store/build-rows.ts'
import { type FoundBuild, searchBuilds } from '../store/build-search.ts'
import type { Database } from '../store/database.ts'
import {
  isPlainKey,
  ownWords,
  pairKey,
  splitPairKey,
  type TermKind,
} from '../store/search-terms.ts'

/** Some builds of a search. */
export interface FoundPage {
  readonly builds: readonly StoredBuild[]
  /** Up to where everything was looked at, in the order of receipt. */
  readonly upTo: number
}

/** How long a search may take. */
export interface FindOptions {
  readonly max: number
  /** Whether what was found so far is enough. It is not called while nothing was found. */
  readonly isTimeOver: () => boolean
  readonly signal: AbortSignal
}

/**
 * Up to `max` builds of a listing of which a query is true, in its order. Relative moments are taken
 * from `now`, epoch ms; times without a zone are in UTC (docs/services.md#timestamp-values). An
 * empty page means that there is no such build, unless the signal was aborted.
 */
export async function findBuilds(
  database: Database,
  listing: Listing,
  { query, now }: { readonly query: Query; readonly now: number },
  { max, isTimeOver, signal }: FindOptions,
): Promise<FoundPage> {
  const answer = compile(query, { now, timeZone: 'UTC', absent: 'none' })
  // Whose events are still being stored: what is absent may yet come.
  const answerEarly = compile(query, { now, timeZone: 'UTC' })
  const search = searchBuilds(database, listing, necessaryFilter(query, now), {
    wanted: max,
    signal,
  })
  const builds: FoundBuild[] = []
  for (;;) {
    const step = await search.next()
    if (step.done === true) return { builds, upTo: step.value }
    for (const build of step.value) {
      const matches = build.facts === undefined ? answerEarly : answer
      if (builds.length < max && matches(factsOf(build)) === 'yes') builds.push(build)
    }
    const last = builds.at(-1)
    if (last !== undefined && (builds.length >= max || isTimeOver())) {
      await search.return(0)
      return { builds, upTo: last.position }
    }
  }
}

function factsOf(build: FoundBuild): Facts {
  return build.facts === undefined
    ? factsOfMessage(messageOf(build))
    : Facts.parse(JSON.parse(build.facts))
}

/**
 * What a build must fulfil so that a query can be true of it: as much of the query as the database
 * decides quickly. It is never narrower than the query; whoever reads what passes evaluates the query.
 * Moments are taken from `now`, epoch ms, and those without a zone are in UTC.
 */
function necessaryFilter({ root }: Query, now: number): BuildFilter {
  return root === undefined ? every : filterOf(root, false)

  function filterOf(part: Expression, negated: boolean): BuildFilter {
    switch (part.type) {
      case 'and':
      case 'or': {
        const operands = part.operands.map((operand) => filterOf(operand, negated))
        return (part.type === 'and') === negated ? anyOf(operands) : allOf(operands)
      }
      case 'not':
        return filterOf(part.operand, !negated)
      case 'group':
        return part.inner === undefined ? every : filterOf(part.inner, negated)
      case 'term':
      case 'flag': {
        const read = conditionOf(part)
        if (read === undefined) return every
        return negated
          ? oppositeOf(read.field, read.condition)
          : conditionFilter(read.field, read.condition, now)
      }
      case 'free-text':
        return every
    }
  }
}

function conditionFilter(field: Field, condition: Condition, now: number): BuildFilter {
  const exact = exactCondition(field, condition)
  if (exact !== undefined) return leaf(exact)
  const { name, tool } = field
  if (tool !== undefined) {
    const ofTool: BuildFilter = leaf({ type: 'tool', key: tool })
    const kind = ownWords.get(name.slice(name.indexOf('.') + 1))
    if (kind === undefined || condition.type !== 'text') return ofTool
    const { pattern } = condition
    return allOf([ofTool, anyOf([textFilter(kind, pattern), textFilter('own', pattern)])])
  }
  switch (condition.type) {
    case 'text': {
      const kind = textKinds.get(name)
      return kind === undefined ? every : textFilter(kind, condition.pattern)
    }
    case 'pair':
      return pairFilter(condition.name, condition.value)
    case 'amount':
      if (name !== 'buildDuration') return every
      return between('duration_ms', condition.low?.amount, condition.high?.amount)
    case 'instant': {
      const time = (edge: MomentEdge | undefined): number | undefined =>
        edge && momentTime(edge.moment, { now, timeZone: 'UTC' })
      return between('start_time', time(condition.low), time(condition.high))
    }
    case 'boolean':
    case 'known':
      return every
  }
}

/** The opposite of a condition is true also of builds with no value; only where it is exact can it narrow. */
function oppositeOf(field: Field, condition: Condition): BuildFilter {
  const exact = exactCondition(field, condition)
  return exact === undefined ? every : leaf({ type: 'not', condition: exact })
}

/** A condition that the database decides as exactly as an evaluation does. */
function exactCondition({ name }: Field, condition: Condition): ExactCondition | undefined {
  if (condition.type === 'pair') {
    const [pairName, pairValue] = [plainText(condition.name), plainText(condition.value)]
    if (pairName === undefined || pairValue === undefined) return undefined
    return { type: 'text', kind: 'value', key: pairKey(pairName, pairValue) }
  }
  if (condition.type !== 'text') return undefined
  if (name === 'buildOutcome') {
    const matches = textMatcher(condition.pattern)
    return { type: 'outcome', outcomes: ['succeeded', 'failed'].filter(matches) }
  }
  const key = plainText(condition.pattern)
  const kind = textKinds.get(name)
  if (key === undefined) return undefined
  if (name === 'buildTool') return { type: 'tool', key }
  return kind === undefined ? undefined : { type: 'text', kind, key }
}

/** The text of a pattern without wildcards, folded, if the database distinguishes it from all others. */
function plainText([only, ...others]: TextPattern): string | undefined {
  const folded = foldCase(only)
  return others.length === 0 && isPlainKey(folded) ? folded : undefined
}

function textFilter(kind: TermKind, pattern: TextPattern): BuildFilter {
  const folded = foldedPattern(pattern)
  if (folded === undefined) return every
  const [only, ...others] = folded
  if (others.length === 0) return leaf({ type: 'text', kind, key: only })
  return leaf({ type: 'texts', kind, prefix: only, matches: textMatcher(folded) })
}

function pairFilter(name: TextPattern, value: TextPattern): BuildFilter {
  const [foldedName, foldedValue] = [foldedPattern(name), foldedPattern(value)]
  if (foldedName === undefined || foldedValue === undefined) return every
  const [isName, isValue] = [textMatcher(foldedName), textMatcher(foldedValue)]
  return leaf({
    type: 'texts',
    kind: 'value',
    prefix: foldedName.length > 1 ? foldedName[0] : pairKey(foldedName[0], foldedValue[0]),
    matches: (key) => {
      const [keyName, keyValue = ''] = splitPairKey(key)
      return isName(keyName) && isValue(keyValue)
    },
  })
}

/** The pattern as keys are compared with; undefined where keys are not so fine. */
function foldedPattern(pattern: TextPattern): TextPattern | undefined {
  const [first, ...others] = pattern
  const folded: TextPattern = [foldCase(first), ...others.map(foldCase)]
  return folded.every(isPlainKey) ? folded : undefined
}

function between(
  column: BetweenCondition['column'],
  low: number | undefined,
  high: number | undefined,
): BuildFilter {
  return low === undefined && high === undefined
    ? every
    : leaf({ type: 'between', column, low, high })
}

const textKinds: ReadonlyMap<string, TermKind> = new Map([
  ['user', 'user'],
  ['hostname', 'hostname'],
  ['project', 'project'],
  ['rootProjectName', 'project'],
  ['requested', 'requested'],
  ['tag', 'tag'],
])
