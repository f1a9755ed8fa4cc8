import type { Facts } from '../protocol/facts.ts'
import {
  conditionTruth,
  type EvaluatedAt,
  no,
  type Truth,
  unknown,
  yes,
} from './evaluate/condition-truth.ts'
import { factReader } from './evaluate/fact-value.ts'
import type { Expression, Flag, Query, SyntaxFault, Term } from './tree.ts'
import { conditionOf } from './values/read-condition.ts'

/** Whether a query is true of a build. Unknown: the facts needed to decide are not known here. */
export type Answer = 'yes' | 'no' | 'unknown'

/**
 * A query as a function, compiled once: evaluating walks no tree and allocates nothing but where a
 * list of requested tasks is read joined. Relative moments are taken from `now`. An empty query is
 * true of every build. A part that cannot be read (an unknown field, a value that is none, a syntax
 * fault) is unknown of every build, by itself; a fault outside all parts makes the whole unknown.
 * A negation holds of every build that its term does not hold of (docs/services.md#search-negation).
 */
export function compile(query: Query, at: EvaluatedAt): (facts: Facts) => Answer {
  const truth = compileTruth(query, at)
  return (facts) => answers[truth(facts)]
}

const answers = ['no', 'unknown', 'yes'] as const

type Evaluate = (facts: Facts) => Truth

function compileTruth(query: Query, at: EvaluatedAt): Evaluate {
  const faulty = faultyParts(query)
  if (faulty.has(undefined)) return neverKnown
  return query.root ? evaluator(query.root) : () => yes

  function evaluator(part: Expression): Evaluate {
    if (faulty.has(part)) return neverKnown
    switch (part.type) {
      case 'and':
        return allOf(part.operands.map(evaluator))
      case 'or':
        return anyOf(part.operands.map(evaluator))
      case 'not':
        return opposite(evaluator(part.operand))
      case 'group':
        return part.inner ? evaluator(part.inner) : neverKnown
      case 'term':
      case 'flag':
        return conditionEvaluator(part, at)
      case 'free-text':
        return neverKnown
    }
  }
}

function conditionEvaluator(part: Term | Flag, at: EvaluatedAt): Evaluate {
  const meaning = conditionOf(part)
  if (!meaning) return neverKnown
  const truth = conditionTruth(meaning.condition, meaning.field, at, factReader(meaning.field))
  return at.absent === 'none' ? (facts) => (truth(facts) === yes ? yes : no) : truth
}

const neverKnown: Evaluate = () => unknown

function opposite(evaluate: Evaluate): Evaluate {
  return (facts) => negated[evaluate(facts)]
}

const negated = [yes, unknown, no] as const

function allOf(operands: readonly Evaluate[]): Evaluate {
  return (facts) => {
    let least: Truth = yes
    for (const evaluate of operands) {
      const truth = evaluate(facts)
      if (truth === no) return no
      if (truth < least) least = truth
    }
    return least
  }
}

function anyOf(operands: readonly Evaluate[]): Evaluate {
  return (facts) => {
    let greatest: Truth = no
    for (const evaluate of operands) {
      const truth = evaluate(facts)
      if (truth === yes) return yes
      if (truth > greatest) greatest = truth
    }
    return greatest
  }
}

/**
 * The parts of a query that cannot be read: for each fault the smallest part around it, or
 * undefined where it lies in no part, as a trailing `and` does; then nothing of the query can be.
 */
export function faultyParts({ root, faults }: Query): ReadonlySet<Expression | undefined> {
  return new Set(faults.map((fault) => smallestPart(root, fault)))
}

function smallestPart(root: Expression | undefined, fault: SyntaxFault): Expression | undefined {
  let smallest: Expression | undefined
  let part = root && holds(root, fault) ? root : undefined
  while (part) {
    smallest = part
    part = childAround(part, fault)
  }
  return smallest
}

function childAround(part: Expression, fault: SyntaxFault): Expression | undefined {
  switch (part.type) {
    case 'and':
    case 'or':
      return operandAround(part.operands, fault)
    case 'not':
      return holds(part.operand, fault) ? part.operand : undefined
    case 'group':
      return part.inner && holds(part.inner, fault) ? part.inner : undefined
    case 'term':
    case 'flag':
    case 'free-text':
      return undefined
  }
}

/** By halving: there may be thousands of operands, and as many faults. */
function operandAround(
  operands: readonly Expression[],
  fault: SyntaxFault,
): Expression | undefined {
  let first = 0
  let last = operands.length
  while (first < last) {
    const middle = (first + last) >> 1
    const operand = operands[middle]
    if (operand && operand.to < fault.to) first = middle + 1
    else last = middle
  }
  const candidate = operands[first]
  return candidate && holds(candidate, fault) ? candidate : undefined
}

function holds(part: Expression, fault: SyntaxFault): boolean {
  return part.from <= fault.from && fault.to <= part.to
}
