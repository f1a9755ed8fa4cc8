import type { Condition, Moment, MomentEdge } from './condition.ts'
import type { Field } from './field.ts'
import { dateAsRangeEnd, relativeEquality, relativeFuture } from './instant-remarks.ts'
import type { ConditionReading } from './condition-reading.ts'
import { termEnds } from './term-ends.ts'
import type { Range, Term, Word } from './tree.ts'
import { readInstant, wallTime, type WrittenMoment } from './values/instant.ts'

/**
 * What a term demands of a point in time. Equality is with the whole day, minute, second or fraction
 * that was written (docs/design.md#timestamps-and-zones); a range includes both ends, and a
 * date in one is its midnight.
 */
export function instantCondition(
  term: Term,
  pattern: Word | Range,
  field: Field,
): ConditionReading {
  const ends = termEnds(term, pattern, field, readInstant, isReversed)
  if (!ends.ok) return ends
  if (ends.type === 'range') {
    const { low, high, lowWord, highWord } = ends
    const remarks = [
      ...relativeFuture(lowWord, low),
      ...relativeFuture(highWord, high),
      ...dateAsRangeEnd(highWord, high),
    ]
    return instant({ low: edge(low.moment, true), high: edge(high.moment, true) }, remarks)
  }
  const { value, word } = ends
  const edges = compared(term.operator.symbol, value)
  return edges
    ? instant(edges, relativeFuture(word, value))
    : { ok: false, mistake: relativeEquality(term, word) }
}

type Remarks = Extract<ConditionReading, { ok: true }>['remarks']
type Edges = Pick<Extract<Condition, { type: 'instant' }>, 'low' | 'high'>

function instant(edges: Edges, remarks: Remarks): ConditionReading {
  return { ok: true, condition: { type: 'instant', ...edges }, remarks }
}

/** Undefined for what nothing can be equal to: a moment that moves on. */
function compared(
  symbol: Term['operator']['symbol'],
  { moment, next }: WrittenMoment,
): Edges | undefined {
  switch (symbol) {
    case '>':
      return { low: edge(moment, false) }
    case '>=':
      return { low: edge(moment, true) }
    case '<':
      return { high: edge(moment, false) }
    case '<=':
      return { high: edge(moment, true) }
    case ':':
    case '=':
    case '!=':
      return next && { low: edge(moment, true), high: edge(next, false) }
  }
}

function edge(moment: Moment, inclusive: boolean): MomentEdge {
  return { moment, inclusive }
}

/** No zone is further from UTC than this. */
const furthestZone = 14 * 3_600_000

/** Whether a range is empty wherever and whenever it is asked for. */
function isReversed({ moment: low }: WrittenMoment, { moment: high }: WrittenMoment): boolean {
  if (low.type === 'relative') return high.type === 'relative' && low.distance > high.distance
  if (high.type === 'relative') return false
  const least = low.type === 'local' ? wallTime(low.clock) : low.time
  const most = high.type === 'local' ? wallTime(high.clock) : high.time
  return least - most > (low.type === high.type ? 0 : furthestZone)
}
