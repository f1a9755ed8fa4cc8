import { check } from '../../search/check.ts'
import type { Diagnostic } from '../../search/diagnostic.ts'
import { parse } from '../../search/parse.ts'
import type { Query } from '../../search/tree.ts'
import { invalidQuery } from './api-problem.ts'

/** As many mistakes are told in words. */
const mostInWords = 5
/** And as many by their positions. */
const mostMistakes = 100

/**
 * A query in the advanced search language (docs/services.md#advanced-search-syntax). Throws a
 * ProblemError (400) that says in words what is wrong and where, and has every mistake as a member
 * of `queryMistakes`: `{from, to, code, message}`, with offsets in the text as it was received, in
 * UTF-16 code units. What is merely doubtful passes.
 */
export function readSearch(text: string): Query {
  const query = parse(text)
  const mistakes = check(query).filter(({ severity }) => severity === 'error')
  if (mistakes.length === 0) return query
  const words = mistakes.slice(0, mostInWords).map((mistake) => inWords(mistake, text))
  if (mistakes.length > mostInWords) words.push(`And ${mistakes.length - mostInWords} more.`)
  throw invalidQuery(
    `Query: ${words.join(' ')}`,
    mistakes
      .slice(0, mostMistakes)
      .map(({ from, to, code, message }) => ({ from, to, code, message })),
  )
}

function inWords({ from, to, message }: Diagnostic, text: string): string {
  return `${message} (${place(from, to, text)})`
}

/** Counted from 1, as people do. */
function place(from: number, to: number, text: string): string {
  if (from >= text.length) return 'at the end'
  return to - from <= 1 ? `character ${from + 1}` : `characters ${from + 1} to ${to}`
}
