import { toolName } from '../protocol/build-tool.ts'
import { amountBounds, amountText, instantBounds } from './assist/amount-text.ts'
import type { AssistContext } from './assist/completion.ts'
import { patternWords } from './assist/condition-text.ts'
import { keywordAt, type Place, placeAt } from './assist/situation.ts'
import { nearest } from './check/nearest.ts'
import { compareReleases, type Field, type FieldType } from './fields/field.ts'
import { fields, findField } from './fields/fields.ts'
import { parse } from './parse.ts'
import type { FieldName, Operator, Query, Span, Term } from './tree.ts'
import type { Condition, MomentEdge } from './values/condition.ts'
import { momentTime } from './values/moment-time.ts'
import { readCondition } from './values/read-condition.ts'

/** What the token from `from` to `to` is and means, in plain sentences. */
export interface Hover extends Span {
  readonly title: string
  readonly lines: readonly string[]
}

/**
 * What stands at a position (UTF-16 offset) of a query: a field and how its values are written, what a
 * value was read as, an operator, a keyword, a wildcard. Undefined where nothing stands. Takes the
 * text, or the query where it is parsed already.
 */
export function hover(
  source: string | Query,
  pos: number,
  context: AssistContext = {},
): Hover | undefined {
  const query = typeof source === 'string' ? parse(source) : source
  const place = placeAt(query, pos)
  const { leaf } = place
  if (leaf?.type === 'term') return termHover(query.text, leaf, pos, context)
  if (leaf?.type === 'flag') return fieldHover(leaf.field, context)
  if (leaf) return hoverOf(query.text, leaf, [freeTextLine])
  const sign = signAt(place, pos) ?? keywordAt(query, place, pos)
  return sign && hoverOf(query.text, sign, [keywordLine(query.text.slice(sign.from, sign.to))])
}

const freeTextLine = 'Text needs a field, such as project: or tag:.'

/** The `-`, `!` or `not` at the position. */
function signAt({ around }: Place, pos: number): Span | undefined {
  const innermost = around.at(-1)
  return innermost?.type === 'not' && isIn(innermost.operator, pos) ? innermost.operator : undefined
}

function termHover(text: string, term: Term, pos: number, context: AssistContext): Hover {
  if (isIn(term.field, pos)) return fieldHover(term.field, context)
  const field = findField(term.field.name)
  if (!field) return { ...fieldHover(term.field, context), from: term.from, to: term.to }
  const { operator, pattern } = term
  if (isIn(operator, pos) || pattern.type === 'missing') {
    return hoverOf(text, operator, [operatorLine(operator.symbol, field.type)])
  }
  if (pattern.type === 'range') {
    const { separator } = pattern
    if (separator && isIn(separator, pos)) return hoverOf(text, separator, [keywordLine('to')])
  } else if (pattern.segments.length > 1) {
    const wildcard = pattern.segments.find((part) => part.type === 'wildcard' && isIn(part, pos))
    if (wildcard) return hoverOf(text, wildcard, [wildcardLine])
  }
  return hoverOf(text, pattern, readingLines(term, field, context))
}

/** What the value of a term was read as, or why it cannot be. */
function readingLines(term: Term, field: Field, context: AssistContext): readonly string[] {
  const reading = readCondition(term, field)
  return reading.ok ? valueLines(reading.condition, field.type, context) : [reading.problem.message]
}

function fieldHover({ name, from, to }: FieldName, { serverRelease }: AssistContext): Hover {
  const field = findField(name)
  if (field) return { from, to, title: name, lines: fieldLines(field, serverRelease) }
  const [likely] = nearest(
    name,
    fields.map((known) => known.name),
  )
  const question = likely === undefined ? '' : ` Did you mean ${likely}?`
  return { from, to, title: name, lines: [`Unknown field ${name}.${question}`] }
}

function hoverOf(text: string, { from, to }: Span, lines: readonly string[]): Hover {
  return { from, to, title: text.slice(from, to), lines }
}

function isIn({ from, to }: Span, pos: number): boolean {
  return from <= pos && pos < to
}

/** What a field is, how its values are written, and which builds and servers have it. */
function fieldLines(field: Field, serverRelease?: string): string[] {
  const lines = [`${field.meaning}.`, writingLine(field)]
  if (field.values) lines.push(`Values: ${field.values.join(', ')}.`)
  if (field.tool) lines.push(`${toolName(field.tool)} builds only.`)
  const release = releaseLine(field, serverRelease)
  return release === undefined ? lines : [...lines, release]
}

function writingLine({ name, type, values }: Field): string {
  if (values) return `One of the values, case-insensitive: ${name}:${values.at(-1) ?? '*'}.`
  switch (type) {
    case 'text':
      return `Text, case-insensitive: ${name}:main. * matches any characters: ${name}:release/*. Quote values with spaces: ${name}:"a b".`
    case 'pair':
      return `A name and a value: ${name}:"Git branch=main". * matches any characters: ${name}:"Git branch=release/*".`
    case 'duration':
      return `A duration in d, h, m, s or ms: ${name}>5m, ${name}<=1h30m, ${name}:[1m to 5m].`
    case 'instant':
      return `A date, a time, or an age: ${name}:2024-01-31, ${name}>=2024-01-31T10:30, ${name}>-7d.`
    case 'boolean':
      return `${name} matches true, ${name}:false matches false, !${name} matches false or unknown, ${name}:* matches any known value.`
    case 'number':
      return `A number: ${name}:4, ${name}>4, ${name}:[2 to 8].`
    case 'size':
      return `Bytes, with an optional unit: k, m, g, t (powers of 1000) or ki, mi, gi, ti (powers of 1024), such as ${name}>=2gi, ${name}:[512mi to 4gi].`
  }
}

function releaseLine(
  { since, until, replacedBy }: Field,
  serverRelease: string | undefined,
): string | undefined {
  if (until !== undefined) {
    const now = replacedBy === undefined ? 'It has been removed' : `It's now called ${replacedBy}`
    return `Available on servers ${since === undefined ? '' : `from release ${since} `}to ${until}. ${now}.`
  }
  if (since === undefined) return undefined
  const isMissing = serverRelease !== undefined && (compareReleases(serverRelease, since) ?? 0) < 0
  const own = isMissing ? ` This server has ${serverRelease}, which doesn't support it.` : ''
  return `Available since server release ${since}.${own}`
}

/** What a keyword or a sign of negation means; in any case of letters. */
function keywordLine(keyword: string): string {
  switch (keyword.toLowerCase()) {
    case 'and':
      return 'Both sides must match. Optional, and binds tighter than or.'
    case 'or':
      return 'At least one side must match. Use parentheses when you mix it with and.'
    case 'to':
      return 'Separates the ends of a range. Both ends are included.'
    default:
      return 'Negates what follows. Builds without a value match, too.'
  }
}

const wildcardLine = 'Matches any characters, including none.'

/** What an operator means before a value of the type. */
function operatorLine(symbol: Operator['symbol'], type: FieldType): string {
  const isTime = type === 'instant'
  switch (symbol) {
    case ':':
      return equalities[type]
    case '>':
      return isTime ? 'After this time.' : 'More than this.'
    case '>=':
      return isTime ? 'At or after this time.' : 'At least this.'
    case '<':
      return isTime ? 'Before this time.' : 'Less than this.'
    case '<=':
      return isTime ? 'At or before this time.' : 'At most this.'
    case '=':
      return 'Not an operator. Use a colon.'
    case '!=':
      return 'Not an operator. Put a minus before the field, and use a colon.'
  }
}

const equalities: Readonly<Record<FieldType, string>> = {
  text: 'Matches the whole value, case-insensitive.',
  pair: 'Matches a name and its value, case-insensitive.',
  duration: 'Exactly this, or within a range.',
  instant: 'Within this day, minute or second, or within a range.',
  boolean: 'Exactly this.',
  number: 'Exactly this, or within a range.',
  size: 'Exactly this, or within a range.',
}

/** What a value was read as. Without `now` (epoch ms) it isn't said when a relative time is. */
function valueLines(
  condition: Condition,
  type: FieldType,
  { now, timeZone }: { readonly now?: number; readonly timeZone?: string },
): string[] {
  switch (condition.type) {
    case 'known':
      return ['Any value.']
    case 'boolean':
      return [condition.wanted ? 'True.' : 'False.']
    case 'text':
      return [`The value ${patternWords(condition.pattern, true)}, case-insensitive.`]
    case 'pair':
      return [
        `The name ${patternWords(condition.name, true)}.`,
        `The value ${patternWords(condition.value, true)}, case-insensitive.`,
      ]
    case 'amount':
      return [...sentence(amountBounds(condition, type)), ...inFull(condition, type)]
    case 'instant':
      return [
        ...sentence(instantBounds(condition, timeZone)),
        ...(now === undefined ? [] : resolved(condition, now, timeZone)),
      ]
  }
}

/** A size in bytes, as nobody knows these by heart. */
function inFull({ low, high }: Extract<Condition, { type: 'amount' }>, type: FieldType): string[] {
  if (type !== 'size') return []
  const amounts = [low, high].flatMap((edge) => (edge ? [amountText(edge.amount)] : []))
  return [`In bytes: ${[...new Set(amounts)].join(' to ')}.`]
}

/** When a relative time is. */
function resolved(
  condition: Extract<Condition, { type: 'instant' }>,
  now: number,
  timeZone: string | undefined,
): string[] {
  const edges = [condition.low, condition.high]
  if (!edges.some((edge) => edge?.moment.type === 'relative')) return []
  const [low, high] = edges.map((edge) => edge && absolute(edge, now))
  const words = instantBounds(
    { type: 'instant', ...(low && { low }), ...(high && { high }) },
    timeZone,
  )
  return [`Currently ${words}.`]
}

function absolute(edge: MomentEdge, now: number): MomentEdge {
  const { moment } = edge
  if (moment.type !== 'relative') return edge
  return {
    ...edge,
    moment: { type: 'absolute', time: momentTime(moment, { now, timeZone: 'UTC' }) },
  }
}

function sentence(words: string): string[] {
  return [`${words.charAt(0).toUpperCase()}${words.slice(1)}.`]
}
