import type { Diagnostic } from '../../../search/diagnostic.ts'
import { explain } from '../../../search/explain.ts'
import type { Query } from '../../../search/tree.ts'
import { foremost, problemCountText } from './problem-count.ts'

/**
 * A query as it is read out: "2 errors. No field is called projct." where it has errors, else what it
 * asks for. Empty for an empty one.
 */
export function querySummary(
  query: Query,
  diagnostics: readonly Diagnostic[],
  timeZone: string,
): string {
  if (query.text.trim() === '') return ''
  const count = problemCountText(diagnostics)
  const first = foremost(diagnostics)
  const words = first === undefined ? [] : [`${count}.`, first.message]
  const isWrong = first?.severity === 'error'
  return [...words, ...(isWrong ? [] : [explain(query, { timeZone })])].join(' ')
}
