import type { MomentEdge } from './values/condition.ts'
import { applyEdits, type TextEdit } from './diagnostic.ts'
import { clockText, explicitTime } from './values/moment-time.ts'
import { format } from './format.ts'
import { parse } from './parse.ts'
import { findField } from './fields/fields.ts'
import { gapsOf, leavesOf, type Operator, type Query, type Term, type Word } from './tree.ts'
import { readCondition } from './values/read-condition.ts'
import { plainText } from './values/text.ts'

/**
 * The text of a query as the API takes it: it reads a time without a zone as UTC, so each gets the
 * offset that clocks of `timeZone` (IANA) have then, a comparison takes the place of the colon, and
 * what came in with a paste, such as a no-break space, becomes a space. All else is as it was written. Means the same to the API as the query does in that zone, and is
 * not changed when it is turned into its API form again. Throws RangeError where there is no such zone.
 */
export function toApiQuery(query: Query, options: { readonly timeZone: string }): string {
  return applyEdits(query.text, apiEdits(query, options))
}

/** The one text of all queries that mean the same: formatted, and in its API form by UTC; faults are kept. */
export function canonicalQuery(query: Query): string {
  return toApiQuery(parse(format(query)), { timeZone: 'UTC' })
}

/** The changes that make the text of a query its API form: in order, not overlapping. */
export function apiEdits(query: Query, { timeZone }: { readonly timeZone: string }): TextEdit[] {
  const terms = leavesOf(query.root).flatMap((part) =>
    part.type === 'term' ? termEdits(part, timeZone) : [],
  )
  return [...terms, ...spaceEdits(query)].sort((a, b) => a.from - b.from)
}

/** Other readers of the language may know no spaces but these. */
const unusualSpace = /[^\S \t\r\n]/g

function spaceEdits(query: Query): TextEdit[] {
  return gapsOf(query).flatMap((gap) =>
    [...query.text.slice(gap.from, gap.to).matchAll(unusualSpace)].map(({ index }) => {
      const from = gap.from + index
      return { from, to: from + 1, insert: ' ' }
    }),
  )
}

function termEdits(term: Term, timeZone: string): TextEdit[] {
  const { field, operator, pattern } = term
  const known = findField(field.name)
  const reading = known?.type === 'instant' ? readCondition(term, known) : undefined
  if (!reading?.ok || reading.condition.type !== 'instant') return colonEdits(operator)
  const { low, high } = reading.condition
  if (pattern.type === 'range') {
    return [...zoneEdits(pattern.low, low, timeZone), ...zoneEdits(pattern.high, high, timeZone)]
  }
  if (pattern.type === 'missing') return []
  return operator.symbol === ':'
    ? equalityEdits(term, pattern, { low, high }, timeZone)
    : [...colonEdits(operator), ...zoneEdits(pattern, low ?? high, timeZone)]
}

function colonEdits({ from, symbol, colon }: Operator): TextEdit[] {
  const isComparison = symbol.startsWith('<') || symbol.startsWith('>')
  return colon && isComparison ? [{ from, to: from + 1, insert: '' }] : []
}

function zoneEdits(
  word: Word | undefined,
  edge: MomentEdge | undefined,
  timeZone: string,
): TextEdit[] {
  const written = word && plainText(word)
  const from = word?.segments[0]?.from
  const to = word?.segments.at(-1)?.to
  if (edge?.moment.type !== 'local' || !written || from === undefined || to === undefined) return []
  return [{ from, to, insert: explicitTime(written, edge.moment, timeZone) }]
}

/**
 * Two comparisons say what equality with a day, a minute or a second means, also where clocks change.
 * A range could not say it: both its ends are included, and the last instant of a day has no name.
 */
function equalityEdits(
  { from, to, field }: Term,
  word: Word,
  { low, high }: { low: MomentEdge | undefined; high: MomentEdge | undefined },
  timeZone: string,
): TextEdit[] {
  const written = plainText(word)
  if (low?.moment.type !== 'local' || high?.moment.type !== 'local' || !written) return []
  const first = explicitTime(written, low.moment, timeZone)
  const next = explicitTime(clockText(high.moment.clock), high.moment, timeZone)
  return [{ from, to, insert: `(${field.name}>=${first} and ${field.name}<${next})` }]
}
