import { isAlsoReadJoined } from '../../../search/evaluate/fact-value.ts'
import type { Field } from '../../../search/fields/field.ts'
import { conditionOf } from '../../../search/values/read-condition.ts'
import type { Expression, Query, Term } from '../../../search/tree.ts'

/** What a build must have for a query to be true of it. */
export interface NecessaryText {
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
