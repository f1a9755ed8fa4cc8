import type { AmountEdge } from './condition.ts'
import type { Field } from './field.ts'
import type { ConditionReading } from './condition-reading.ts'
import { termEnds } from './term-ends.ts'
import type { Range, Term, Word } from './tree.ts'
import type { Reading } from './values/reading.ts'

/** What a term demands of a duration, a number or a size; `read` gives amounts in the unit of the field. */
export function amountCondition(
  term: Term,
  pattern: Word | Range,
  field: Field,
  read: (text: string) => Reading<number>,
): ConditionReading {
  const ends = termEnds(term, pattern, field, read, (low, high) => low > high)
  if (!ends.ok) return ends
  const edges =
    ends.type === 'range'
      ? { low: inclusive(ends.low), high: inclusive(ends.high) }
      : comparison(term.operator.symbol, ends.value)
  return { ok: true, condition: { type: 'amount', ...edges }, remarks: [] }
}

function comparison(
  symbol: Term['operator']['symbol'],
  amount: number,
): { readonly low?: AmountEdge; readonly high?: AmountEdge } {
  switch (symbol) {
    case '>':
      return { low: { amount, inclusive: false } }
    case '>=':
      return { low: inclusive(amount) }
    case '<':
      return { high: { amount, inclusive: false } }
    case '<=':
      return { high: inclusive(amount) }
    case ':':
    case '=':
    case '!=':
      return { low: inclusive(amount), high: inclusive(amount) }
  }
}

function inclusive(amount: number): AmountEdge {
  return { amount, inclusive: true }
}
