import {
  anythingCompared,
  badOperator,
  missingEquals,
  missingValue,
  operatorNotAllowed,
  rewrite,
  valueProblem,
  wildcardNotAllowed,
} from '../check/condition-diagnostics.ts'
import { nearest } from '../check/nearest.ts'
import { type Diagnostic, warning } from '../diagnostic.ts'
import type { Field } from '../fields/field.ts'
import { findField } from '../fields/fields.ts'
import type { Flag, Segment, Term, Word } from '../tree.ts'
import type { Condition, TextPattern } from './condition.ts'
import { readDuration } from './duration.ts'
import { amountCondition, type ConditionReading, instantCondition } from './ordered-condition.ts'
import { listed, readBoolean, type Reading, readNumber, shown } from './reading.ts'
import { isAnything, patternOf, plainText, quoteValue, readText } from './text.ts'

/**
 * The pattern of a term as the type of its field reads it (docs/services.md#search-terms), in
 * equality, comparison and range. `field:*` is `known` for every type. Says nothing about the name
 * of the field or the release of the server. With a zone (IANA) ranges are empty that are so there.
 */
export function readCondition(term: Term, field: Field, timeZone?: string): ConditionReading {
  const { operator, pattern } = term
  if (pattern.type === 'missing') return failed(missingValue(term))
  if (operator.symbol === '=' || operator.symbol === '!=') return failed(badOperator(term))
  if (isUnequal(term)) {
    const unequal = { ...operator, symbol: '!=', to: pattern.from + 1 } as const
    return failed(badOperator({ ...term, operator: unequal }, '<>'))
  }
  if (pattern.type === 'word' && isAnything(pattern)) {
    return operator.symbol === ':' ? known : failed(anythingCompared(term))
  }
  switch (field.type) {
    case 'duration':
      return amountCondition(term, pattern, field, readDuration)
    case 'number':
      return amountCondition(term, pattern, field, readNumber)
    case 'size':
      return amountCondition(term, pattern, field, readSize)
    case 'instant':
      return instantCondition(term, pattern, field, timeZone)
    case 'text':
    case 'pair':
    case 'boolean':
      if (operator.symbol !== ':' || pattern.type === 'range') {
        return failed(operatorNotAllowed(term, field))
      }
      return equalityCondition(term, pattern, field)
  }
}

/** `field<>x`, as SQL and Excel have it. */
function isUnequal({ operator, pattern }: Term): boolean {
  const [first] = pattern.type === 'word' ? pattern.segments : []
  return (
    operator.symbol === '<' &&
    first?.type === 'text' &&
    first.from === pattern.from &&
    first.text.startsWith('>')
  )
}

/** What the name of a field alone demands: of a Boolean field that it is true; else it is a problem. */
export function flagCondition(
  field: Field,
): { readonly ok: true; readonly condition: Condition } | { readonly ok: false } {
  if (field.type !== 'boolean') return { ok: false }
  return { ok: true, condition: { type: 'boolean', wanted: true } }
}

/** Whether values of the field are only equal or not. */
export function hasNoOrder({ type }: Field): boolean {
  return type === 'text' || type === 'pair' || type === 'boolean'
}

const known: ConditionReading = { ok: true, condition: { type: 'known' }, hints: [] }

function equalityCondition(term: Term, word: Word, field: Field): ConditionReading {
  if (field.type === 'text') {
    const pattern = readText(word)
    const list = commaList(term, word)
    const hints = list ?? (field.values ? notOneOf(term, word, field.values) : [])
    return { ok: true, condition: { type: 'text', pattern }, hints }
  }
  if (field.type === 'pair') {
    const pair = readPair(word)
    if (!pair) return failed(missingEquals(term, word))
    return { ok: true, condition: { type: 'pair', ...pair }, hints: [] }
  }
  const text = plainText(word)
  if (text === undefined) return failed(wildcardNotAllowed(word, field))
  const wanted = readBoolean(text)
  if (!wanted.ok) return failed(valueProblem(word, wanted.problem))
  return { ok: true, condition: { type: 'boolean', wanted: wanted.value }, hints: [] }
}

function failed(problem: Diagnostic): ConditionReading {
  return { ok: false, problem }
}

/** What a term or a bare name demands, and of which field; undefined where `check` says why it can't be read. */
export function conditionOf(
  part: Term | Flag,
): { readonly field: Field; readonly condition: Condition } | undefined {
  const field = findField(part.field.name)
  if (!field) return undefined
  const reading = part.type === 'flag' ? flagCondition(field) : readCondition(part, field)
  return reading.ok ? { field, condition: reading.condition } : undefined
}

/** What other tools call how a build ended. */
const otherValues = new Map([
  ...['fail', 'failure', 'error', 'broken', 'red'].map((word) => [word, 'failed'] as const),
  ...['success', 'successful', 'passed', 'ok', 'green'].map((word) => [word, 'succeeded'] as const),
])

/** A value that the field is not known to have; a newer server may know it. Patterns are left alone. */
function notOneOf(term: Term, word: Word, values: readonly string[]): Diagnostic[] {
  const text = plainText(word)
  if (text === undefined || values.includes(text.toLowerCase())) return []
  const { name } = term.field
  const other = otherValues.get(text.toLowerCase()) ?? ''
  const meant = values.includes(other) ? [other] : nearest(text, values)
  const isNull = text.toLowerCase() === 'null'
  return [
    warning(
      word,
      'value.not-one-of',
      isNull
        ? `Use -${name}:* to match builds without a value.`
        : `${shown(text)} isn't a known value of ${name}. Use ${listed(values, 'or')}.`,
      isNull
        ? [
            {
              label: `Change to -${name}:*`,
              edits: [
                { from: term.from, to: term.from, insert: '-' },
                { from: word.from, to: word.to, insert: '*' },
              ],
            },
          ]
        : (meant.length > 0 ? meant : values).map((value) => rewrite(word, value)),
    ),
  ]
}

/** `project:a,b`, which other tools take for either. Whoever means a value with a comma puts it in quotes. */
function commaList(term: Term, word: Word): Diagnostic[] | undefined {
  if (word.segments.some((segment) => segment.type === 'text' && segment.quoted)) return undefined
  const values = plainText(word)?.split(',') ?? []
  if (values.length < 2 || values.includes('')) return undefined
  const { name } = term.field
  const meant = `(${values.map((value) => `${name}:${quoteValue(value)}`).join(' or ')})`
  const message = `The comma is part of the value. To match any of the values, use ${shown(meant)}.`
  return [
    warning(word, 'value.comma', message, [
      rewrite(term, meant),
      rewrite(word, quoteValue(values.join(',')), 'Quote the value to keep the comma'),
    ]),
  ]
}

/** The patterns of `name=value`, divided at the first `=`, wherever quotes are; undefined where there is none. */
export function readPair({
  segments,
}: Word): { readonly name: TextPattern; readonly value: TextPattern } | undefined {
  for (const [i, segment] of segments.entries()) {
    const at = segment.type === 'text' ? segment.text.indexOf('=') : -1
    if (segment.type !== 'text' || at < 0) continue
    const part = (text: string): Segment => ({ ...segment, text })
    return {
      name: patternOf([...segments.slice(0, i), part(segment.text.slice(0, at))]),
      value: patternOf([part(segment.text.slice(at + 1)), ...segments.slice(i + 1)]),
    }
  }
  return undefined
}

/** What a suffix of a storage size counts for in bytes (docs/services.md#storage-size-values). */
const sizeUnits: ReadonlyMap<string, number> = new Map(
  ['k', 'm', 'g', 't'].flatMap((letter, i) => [
    [letter, 1000 ** (i + 1)],
    [`${letter}i`, 1024 ** (i + 1)],
  ]),
)

/**
 * The bytes of a storage size: a number, perhaps with a unit, in any case and with or without a
 * final `b`. Decimals need a unit and are rounded to whole bytes.
 */
export function readSize(text: string): Reading<number> {
  const [, amount = '', suffix = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? []
  if (amount === '') return mistaken(text, 'value.size-invalid', notASize)
  const unit = suffix.toLowerCase().replace(/b$/, '')
  const factor = unit === '' ? 1 : sizeUnits.get(unit)
  if (factor === undefined) {
    return mistaken(text, 'value.unit-unknown', () => `${shown(suffix)} ${noUnit}`, amount.length)
  }
  if (unit === '' && amount.includes('.')) {
    return mistaken(text, 'value.size-invalid', (it) => `${it} isn't a whole number of bytes.`)
  }
  const value = Math.round(Number(amount) * factor)
  return Number.isFinite(value)
    ? { ok: true, value }
    : mistaken(text, 'value.too-large', () => 'The storage size is too large.')
}

const noUnit = "isn't a storage unit. Use k, ki, m, mi, g, gi, t or ti."
const notASize = (text: string): string =>
  `${text} isn't a storage size. Use bytes with an optional unit, such as 512mi or 1.5g.`

function mistaken(
  text: string,
  code: string,
  message: (text: string) => string,
  from = 0,
): Reading<number> {
  return {
    ok: false,
    problem: {
      code,
      message: message(text === '' ? 'An empty value' : shown(text)),
      from,
      to: text.length,
      instead: likelyMeant(text),
    },
  }
}

/** Sizes as they are written elsewhere: `512 MB`, `2 gigabytes`, `1p`, `1,024`, `1.5`. */
function likelyMeant(text: string): string[] {
  if (text.length > 100) return []
  const tidy = text
    .toLowerCase()
    .replace(/(?<=\d),(?=\d{3}(?:\D|$))/g, '')
    .replace(/^[-+]/, '')
    .replace(/\s+/g, '')
  const [, amount = '', letter = '', binary = ''] = written.exec(tidy) ?? []
  if (amount === '') return []
  const unit = `${letter === 'p' ? 't' : letter}${binary.endsWith('i') ? 'i' : ''}`
  const factor = letter === 'p' ? (unit === 't' ? 1000 : 1024) : 1
  const count = Number(amount) * factor
  const size = `${unit === '' ? Math.round(count) : count}${unit}`
  return readSize(size).ok ? [size] : []
}

const written =
  /^(\d+(?:\.\d+)?)(?:([kmgtp])(i|[iegt]bi|ilo|ega|iga|era|eta|)b?|b?)(?:y?(?:te)?s?)$/
