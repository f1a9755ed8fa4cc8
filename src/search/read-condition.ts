import { amountCondition } from './amount-condition.ts'
import type { Condition } from './condition.ts'
import type { ConditionReading } from './condition-reading.ts'
import {
  anythingCompared,
  badOperator,
  missingEquals,
  missingValue,
  operatorNotAllowed,
  valueMistake,
  wildcardNotAllowed,
} from './condition-mistakes.ts'
import type { Diagnostic } from './diagnostic.ts'
import { notOneOf } from './enumeration-remark.ts'
import type { Field } from './field.ts'
import { instantCondition } from './instant-condition.ts'
import type { Term, Word } from './tree.ts'
import { readBoolean } from './values/boolean.ts'
import { readDuration } from './values/duration.ts'
import { readNumber } from './values/number.ts'
import { readPair } from './values/pair.ts'
import { readSize } from './values/size.ts'
import { isAnything, plainText, readText } from './values/text.ts'

/**
 * The pattern of a term as the type of its field reads it (docs/services.md#search-terms), in
 * equality, comparison and range. `field:*` is `known` for every type. Says nothing about the name
 * of the field or the release of the server.
 */
export function readCondition(term: Term, field: Field): ConditionReading {
  const { operator, pattern } = term
  if (pattern.type === 'missing') return failed(missingValue(term))
  if (operator.symbol === '=' || operator.symbol === '!=') return failed(badOperator(term))
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
      return instantCondition(term, pattern, field)
    case 'text':
    case 'pair':
    case 'boolean':
      if (operator.symbol !== ':' || pattern.type === 'range') {
        return failed(operatorNotAllowed(term, field))
      }
      return equalityCondition(term, pattern, field)
  }
}

/** What the name of a field alone demands: of a Boolean field that it is true; else it is a mistake. */
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

const known: ConditionReading = { ok: true, condition: { type: 'known' }, remarks: [] }

function equalityCondition(term: Term, word: Word, field: Field): ConditionReading {
  if (field.type === 'text') {
    const pattern = readText(word)
    const remarks = field.values ? notOneOf(term, word, field.values) : []
    return { ok: true, condition: { type: 'text', pattern }, remarks }
  }
  if (field.type === 'pair') {
    const pair = readPair(word)
    if (!pair) return failed(missingEquals(term, word))
    return { ok: true, condition: { type: 'pair', ...pair }, remarks: [] }
  }
  const text = plainText(word)
  if (text === undefined) return failed(wildcardNotAllowed(word, field))
  const wanted = readBoolean(text)
  if (!wanted.ok) return failed(valueMistake(word, wanted.mistake))
  return { ok: true, condition: { type: 'boolean', wanted: wanted.value }, remarks: [] }
}

function failed(mistake: Diagnostic): ConditionReading {
  return { ok: false, mistake }
}
