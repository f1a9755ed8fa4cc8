import type { BranchRule } from '../../../facts/tile-branch.ts'
import type { Facts } from '../../../protocol/facts.ts'
import {
  factReader,
  type FactValue,
  isAlsoReadJoined,
} from '../../../search/evaluate/fact-value.ts'
import type { Field } from '../../../search/fields/field.ts'
import type { Answer } from '../../../search/match.ts'
import type { Expression, Query, Term } from '../../../search/tree.ts'
import { conditionOf } from '../../../search/values/read-condition.ts'

export interface WallRouter {
  /** Gives `take` each tile that these facts match. */
  readonly route: (facts: Facts, take: (key: string) => void) => void
  /** Whether facts that a tile holds still match it: with the time some no longer do. */
  readonly stillMatches: (key: string, facts: Facts) => boolean
  /** Compiles anew what means something else at another time; says which tiles that are. */
  readonly moveTo: (now: number) => readonly string[]
  readonly add: (question: TileQuery) => void
}

interface Matcher {
  readonly question: TileQuery
  answer: (facts: Facts) => Answer
}

interface Index {
  readonly read: (facts: Facts) => FactValue
  readonly byText: Map<string, Matcher[]>
}

/**
 * Routes builds to the tiles of a wall: each query is compiled once, and evaluated only for builds that
 * have the text that it cannot do without; a tile of one project costs one look into a map. `now` is
 * epoch ms of the proxy's clock.
 */
export function createWallRouter(questions: readonly TileQuery[], now: number): WallRouter {
  const byProject = new Map<string, string[]>()
  const queries = new Map<string, Matcher>()
  const indexes = new Map<string, Index>()
  const ofAnyBuild: Matcher[] = []
  let compiledAt = now

  function add(question: TileQuery): void {
    const { key, match } = question
    if (match.by === 'project') {
      const name = match.project.toLowerCase()
      byProject.set(name, [...(byProject.get(name) ?? []), key])
    }
    if (match.by === 'query') {
      const matcher = { question, answer: match.at(compiledAt) }
      queries.set(key, matcher)
      if (match.needs === undefined) ofAnyBuild.push(matcher)
      else putInto(indexes, match.needs, matcher)
    }
  }

  for (const question of questions) add(question)
  return {
    add,
    route: (facts, take) => {
      if (typeof facts.project === 'string' && byProject.size > 0) {
        for (const key of byProject.get(facts.project.toLowerCase()) ?? []) take(key)
      }
      const match = ({ question, answer }: Matcher): void => {
        if (answer(facts) === 'yes') take(question.key)
      }
      ofAnyBuild.forEach(match)
      for (const { read, byText } of indexes.values()) {
        for (const matcher of matchersOf(byText, read(facts))) match(matcher)
      }
    },
    stillMatches: (key, facts) => queries.get(key)?.answer(facts) !== 'no',
    moveTo: (next) => {
      compiledAt = next
      return [...queries.values()].flatMap((matcher) => {
        const { key, match } = matcher.question
        if (match.by !== 'query' || !match.isRelative) return []
        matcher.answer = match.at(next)
        return [key]
      })
    },
  }
}

function putInto(
  indexes: Map<string, Index>,
  { field, texts }: NecessaryText,
  matcher: Matcher,
): void {
  const index: Index = indexes.get(field.name) ?? { read: factReader(field), byText: new Map() }
  indexes.set(field.name, index)
  for (const text of texts) index.byText.set(text, [...(index.byText.get(text) ?? []), matcher])
}

/** Each query once, though a build may have several texts that it names. */
function matchersOf(byText: Index['byText'], value: FactValue): Iterable<Matcher> {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object') return byText.get(String(value).toLowerCase()) ?? []
  const found = new Set<Matcher>()
  for (const entry of value) {
    if (typeof entry !== 'string') continue
    for (const matcher of byText.get(entry.toLowerCase()) ?? []) found.add(matcher)
  }
  return found
}

export interface TileQuery {
  /** The tile's own, and the same for as long as its query is. */
  readonly key: string
  /** As the proxy searches for it, times with their zones; undefined where there is no search. */
  readonly search: string | undefined
  readonly match: WallMatch
  /** Which branches it stands for; left out, those that are learned. */
  readonly rule?: BranchRule
}

/** By what a tile knows its builds. */
export type WallMatch =
  /** All of one project: found without evaluating anything. */
  | { readonly by: 'project'; readonly project: string }
  | {
      readonly by: 'query'
      /** Compiled for a moment, epoch ms of the proxy's clock. */
      readonly at: (now: number) => (facts: Facts) => Answer
      /** Whether what it means goes on with the time, as "in the last hour" does. */
      readonly isRelative: boolean
      /** What a build must have to match at all; undefined where every build may. */
      readonly needs: NecessaryText | undefined
    }
  /** Nothing: the query has errors. */
  | { readonly by: 'nothing' }

interface NecessaryText {
  readonly field: Field
  /** One of these has to be a value of the field, case folded as `search/wildcard.ts` folds it. */
  readonly texts: readonly string[]
}

/**
 * Finds a field of which a query names the text, as `project:a -tag:b` does; of several, the one that
 * excludes most. Undefined where no build is excluded by one field alone: wildcards, amounts, moments
 * and whatever is negated demand no text. Holds whatever else is in the query, faults as well.
 */
export function necessaryText({ root }: Query): NecessaryText | undefined {
  return root && necessaryFor(root)
}

function necessaryFor(part: Expression): NecessaryText | undefined {
  switch (part.type) {
    case 'and':
      return part.operands
        .flatMap((operand) => necessaryFor(operand) ?? [])
        .toSorted((a, b) => share(a) - share(b))[0]
    case 'or':
      return either(part.operands.map(necessaryFor))
    case 'group':
      return part.inner && necessaryFor(part.inner)
    case 'term':
      return named(part)
    case 'not':
    case 'flag':
    case 'free-text':
      return undefined
  }
}

/** Of alternatives only what each of them demands of one field is necessary. */
function either(all: readonly (NecessaryText | undefined)[]): NecessaryText | undefined {
  const field = all[0]?.field
  if (field === undefined || !all.every((one) => one?.field === field)) return undefined
  return { field, texts: [...new Set(all.flatMap((one) => one?.texts ?? []))] }
}

function named(term: Term): NecessaryText | undefined {
  const meaning = conditionOf(term)
  if (meaning?.condition.type !== 'text') return undefined
  const { field, condition } = meaning
  const [text, ...behindWildcards] = condition.pattern
  // A list that is also read joined has more texts than entries.
  if (behindWildcards.length > 0 || isAlsoReadJoined(field)) return undefined
  return { field, texts: [text.toLowerCase()] }
}

/** A guess at how many builds it lets through: of a tool there are few kinds, of a tag many builds. */
function share({ field, texts }: NecessaryText): number {
  const ofField = field.values !== undefined ? 10_000 : field.name === 'tag' ? 100 : 1
  return ofField * texts.length
}
