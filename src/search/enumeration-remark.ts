import { rewrite } from './condition-mistakes.ts'
import type { Diagnostic } from './diagnostic.ts'
import { nearest } from './nearest.ts'
import type { Term, Word } from './tree.ts'
import { shown } from './values/reading.ts'
import { plainText } from './values/text.ts'
import { listed } from './words/phrase.ts'

/** A value that the field is not known to have; a newer server may know it. Patterns are left alone. */
export function notOneOf(term: Term, word: Word, values: readonly string[]): Diagnostic[] {
  const text = plainText(word)
  if (text === undefined || values.includes(text.toLowerCase())) return []
  const { name } = term.field
  const meant = nearest(text, values)
  const isNull = text.toLowerCase() === 'null'
  return [
    {
      from: word.from,
      to: word.to,
      severity: 'warning',
      code: 'value.not-one-of',
      message: isNull
        ? `Use -${name}:* to match builds without a value.`
        : `${shown(text)} isn't a known value of ${name}. Use ${listed(values, 'or')}.`,
      fixes: isNull
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
    },
  ]
}
