import type { Facts } from '../protocol/facts.ts'
import { type AskedAt, conditionTruth } from './condition-truth.ts'
import { factReader } from './fact-value.ts'
import { faultyParts } from './faulty-parts.ts'
import { conditionOf } from './term-condition.ts'
import type { Expression, Flag, Query, Term } from './tree.ts'
import { no, type Truth, unknown, yes } from './truth.ts'

/** Whether a query is true of a build. Unknown: what would tell is not known here. */
export type Answer = 'yes' | 'no' | 'unknown'

/**
 * A query as a function, compiled once: evaluating walks no tree and allocates nothing but where a
 * list of requested tasks is read joined. Relative moments are taken from `now`. An empty query is
 * true of every build. A part that cannot be read (an unknown field, a value that is none, a syntax
 * fault) is unknown of every build, by itself; a fault outside all parts makes the whole unknown.
 */
export function compile(query: Query, at: AskedAt): (facts: Facts) => Answer {
  const truth = compileTruth(query, at)
  return (facts) => answers[truth(facts)]
}

const answers = ['no', 'unknown', 'yes'] as const

type Evaluate = (facts: Facts) => Truth

function compileTruth(query: Query, at: AskedAt): Evaluate {
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

function conditionEvaluator(part: Term | Flag, at: AskedAt): Evaluate {
  const meaning = conditionOf(part)
  if (!meaning) return neverKnown
  return conditionTruth(meaning.condition, meaning.field, at, factReader(meaning.field))
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
