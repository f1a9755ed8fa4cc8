import { countText } from '../protocol/count.ts'
import { listed } from './values/reading.ts'
import { conditionWords, type Phrase, phraseText, valueText } from './assist/condition-text.ts'
import { faultyParts } from './match.ts'
import type { Expression, Query } from './tree.ts'
import { conditionOf } from './values/read-condition.ts'

export interface ExplainOptions {
  /** IANA zone. */
  readonly timeZone?: string
  /** Of more parts side by side than this only the first are named, and the others counted. */
  readonly most?: number
}

/**
 * English that says which builds a query selects, and what of it was not understood. Times are given on the clocks of
 * `timeZone`; without it, in local time, or in UTC where they were written with a zone.
 * Never empty; throws RangeError only where there is no such zone.
 */
export function explain(query: Query, { timeZone, most = Infinity }: ExplainOptions = {}): string {
  if (query.faults.some(({ code }) => code === 'too-long')) {
    return 'The query is too long to explain.'
  }
  const readable: Clause[] = []
  const unread: string[] = []
  for (const clause of clausesOf(query, timeZone)) {
    if (clause.type === 'unreadable') unread.push(clause.text)
    else readable.push(clause)
  }
  if (unread.length === 0) {
    return readable.length === 0 ? 'All builds.' : `${buildsText(readable, most)}.`
  }
  const rest = `Not understood: ${upTo(most, unread.map(valueText)).join(', ')}.`
  return readable.length === 0 ? rest : `${buildsText(readable, most)}. ${rest}`
}

/** What has to be true, all of it. */
function clausesOf(query: Query, timeZone: string | undefined): readonly Clause[] {
  const { text, root, faults } = query
  const clause = root && clauseOf(root, { query, faulty: faultyParts(query), timeZone })
  const clauses = clause?.type === 'and' ? clause.clauses : clause ? [clause] : []
  // A fault inside a part is reported with its part.
  const outside = faults.filter(({ from, to }) => !root || from < root.from || to > root.to)
  return [
    ...clauses,
    ...outside.map(({ from, to }): Clause => ({ type: 'unreadable', text: text.slice(from, to) })),
  ]
}

/** "Builds" and what is said of them, side by side; "that failed" comes right behind a single phrase. */
function buildsText(clauses: readonly Clause[], most: number): string {
  const items = upTo(most, sideBySide(clauses, most))
  const [first = '', second = '', ...others] = items
  if (second === '' || others.length > 0) return `Builds ${items.join(', ')}`
  const isPlain = clauses.every(({ type }) => type === 'phrase')
  if (second.startsWith('that ')) return `Builds ${first}${isPlain ? '' : ','} ${second}`
  return `Builds ${first}${isPlain ? '' : ','} and ${second}`
}

/** A clause inside others; `depth` is how many are around it. */
function clauseText(clause: Clause, depth: number, most: number): string {
  switch (clause.type) {
    case 'phrase':
      return phraseText(clause.phrase)
    case 'unreadable':
      return `something not understood: ${valueText(clause.text)}`
    case 'or':
      return anyText(clause.clauses, depth, most)
    case 'and':
      return everyText(clause.clauses, depth, most)
  }
}

function anyText(clauses: readonly Clause[], depth: number, most: number): string {
  const shared = sharedText(clauses, most)
  if (shared !== undefined) return shared
  const items = upTo(most, clauses).map((clause) =>
    typeof clause === 'string' ? clause : clauseText(clause, depth + 1, most),
  )
  const text = `either ${listed(items, 'or')}`
  return depth < 2 ? text : `(${text})`
}

/** The first ones, and how many more there are. */
function upTo<T>(most: number, items: readonly T[]): readonly (T | string)[] {
  return items.length <= most + 1
    ? items
    : [...items.slice(0, most), `${countText(items.length - most)} more`]
}

/** "Tagged a, b or c", where all are phrases with the same lead. */
function sharedText(clauses: readonly Clause[], most: number): string | undefined {
  let lead: string | undefined
  const texts: string[] = []
  for (const clause of clauses) {
    if (clause.type !== 'phrase' || clause.phrase.lead === undefined) return undefined
    lead ??= clause.phrase.lead
    if (lead !== clause.phrase.lead) return undefined
    texts.push(clause.phrase.text)
  }
  return phraseText({ lead, text: listed(upTo(most, texts), 'or') })
}

function everyText(clauses: readonly Clause[], depth: number, most: number): string {
  const items = upTo(most, clauses).map((clause) =>
    typeof clause === 'string' ? clause : clauseText(clause, depth + 1, most),
  )
  const isPlain = items.length === 2 && clauses.every(({ type }) => type === 'phrase')
  return isPlain && depth < 3 ? `both ${listed(items, 'and')}` : `(${listed(items, 'and')})`
}

/** All clauses in words; phrases with a lead that can be shared are one: "tagged a and b". */
function sideBySide(clauses: readonly Clause[], most: number): string[] {
  const items: { readonly lead: string | undefined; readonly texts: string[] }[] = []
  const byLead = new Map<string, string[]>()
  for (const clause of clauses) {
    const lead = clause.type === 'phrase' ? clause.phrase.lead : undefined
    if (clause.type !== 'phrase' || lead === undefined || !additive.has(lead)) {
      items.push({ lead: undefined, texts: [clauseText(clause, 1, most)] })
      continue
    }
    const before = byLead.get(lead)
    if (before) {
      before.push(clause.phrase.text)
      continue
    }
    const texts = [clause.phrase.text]
    byLead.set(lead, texts)
    items.push({ lead, texts })
  }
  return items
    .map(({ lead, texts }) => phraseText({ lead, text: listed(upTo(most, texts), 'and') }))
    .sort((a, b) => rank(a) - rank(b))
}

/** Leads behind which "a and b" cannot be taken for one thing that is both. */
const additive: ReadonlySet<string> = new Set(['that', 'tagged'])

/** What a build is of comes before what it did: "of project shop that failed". */
function rank(text: string): number {
  return text.startsWith('that ') ? 1 : 0
}

/** A query in normal form: negations are at the phrases, and no `and` is right inside an `and`. */
type Clause =
  | { readonly type: 'phrase'; readonly phrase: Phrase }
  /** What cannot be read, as it was written. */
  | { readonly type: 'unreadable'; readonly text: string }
  | { readonly type: 'and' | 'or'; readonly clauses: readonly Clause[] }

/**
 * The normal form of a part of a query, or, where it is not `positive`, of its opposite: not (a and
 * b) is not a or not b. Parts in `faulty` and what has no meaning become phrases that say so.
 */
function clauseOf(
  part: Expression,
  context: {
    readonly query: Query
    readonly faulty: ReadonlySet<Expression | undefined>
    readonly timeZone: string | undefined
  },
  positive = true,
): Clause {
  const { query, faulty, timeZone } = context
  if (!faulty.has(part)) {
    switch (part.type) {
      case 'and':
      case 'or': {
        const type = (part.type === 'and') === positive ? 'and' : 'or'
        return combined(
          type,
          part.operands.map((operand) => clauseOf(operand, context, positive)),
        )
      }
      case 'not':
        return clauseOf(part.operand, context, !positive)
      case 'group':
        if (part.inner) return clauseOf(part.inner, context, positive)
        break
      case 'term':
      case 'flag': {
        const meaning = conditionOf(part)
        if (!meaning) break
        const phrase = conditionWords(meaning.field, meaning.condition, positive, timeZone)
        return { type: 'phrase', phrase }
      }
      case 'free-text':
        break
    }
  }
  const text = query.text.slice(part.from, part.to)
  return { type: 'unreadable', text: positive ? text : `not ${text}` }
}

function combined(type: 'and' | 'or', clauses: readonly Clause[]): Clause {
  return {
    type,
    clauses: clauses.flatMap((clause) => (clause.type === type ? clause.clauses : [clause])),
  }
}
