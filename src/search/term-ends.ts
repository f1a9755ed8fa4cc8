import {
  operatorNotAllowed,
  rangeReversed,
  rangeShape,
  valueMistake,
  wildcardNotAllowed,
} from './condition-mistakes.ts'
import type { Diagnostic } from './diagnostic.ts'
import type { Field } from './field.ts'
import type { Range, Term, Word } from './tree.ts'
import type { Reading } from './values/reading.ts'
import { isAnything, plainText } from './values/text.ts'

/** The one value of an equality or a comparison, or both of a range. */
export type TermEnds<T> =
  | { readonly ok: true; readonly type: 'one'; readonly value: T; readonly word: Word }
  | {
      readonly ok: true
      readonly type: 'range'
      readonly low: T
      readonly high: T
      readonly lowWord: Word
      readonly highWord: Word
    }
  | { readonly ok: false; readonly mistake: Diagnostic }

/**
 * The values of a term whose field has an order. `isReversed` says whether a range from the first to
 * the second value holds nothing for sure.
 */
export function termEnds<T>(
  term: Term,
  pattern: Word | Range,
  field: Field,
  read: (text: string) => Reading<T>,
  isReversed: (low: T, high: T) => boolean,
): TermEnds<T> {
  if (pattern.type === 'word') {
    const end = readEnd(pattern, field, read)
    return end.ok ? { ok: true, type: 'one', value: end.value, word: pattern } : end
  }
  if (term.operator.symbol !== ':') return failed(operatorNotAllowed(term, field))
  // An end that is `*` is none, as in other search languages.
  const lowWord = pattern.low && isAnything(pattern.low) ? undefined : pattern.low
  const highWord = pattern.high && isAnything(pattern.high) ? undefined : pattern.high
  const low = lowWord && readEnd(lowWord, field, read)
  if (low && !low.ok) return low
  const high = highWord && readEnd(highWord, field, read)
  if (high && !high.ok) return high
  if (!low || !high || !pattern.separator) {
    return failed(rangeShape(term, pattern, lowWord, highWord))
  }
  return isReversed(low.value, high.value)
    ? failed(rangeReversed(pattern, lowWord, highWord))
    : { ok: true, type: 'range', low: low.value, high: high.value, lowWord, highWord }
}

function readEnd<T>(
  word: Word,
  field: Field,
  read: (text: string) => Reading<T>,
): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly mistake: Diagnostic } {
  const text = plainText(word)
  if (text === undefined) return failed(wildcardNotAllowed(word, field))
  const reading = read(text)
  return reading.ok ? reading : failed(valueMistake(word, reading.mistake))
}

function failed(mistake: Diagnostic): { readonly ok: false; readonly mistake: Diagnostic } {
  return { ok: false, mistake }
}
