import { countOf } from '../../../protocol/count.ts'
import type { Diagnostic } from '../../../search/diagnostic.ts'
import { explain } from '../../../search/explain.ts'
import type { Query } from '../../../search/tree.ts'

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

/** How much is wrong or doubtful: "2 errors, 1 warning"; empty where nothing is. */
function problemCountText(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Diagnostic['severity']): number =>
    diagnostics.filter((diagnostic) => diagnostic.severity === severity).length
  const parts = [
    [count('error'), 'error'],
    [count('warning'), 'warning'],
    [count('info'), 'remark'],
  ] as const
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, noun]) => countOf(amount, noun))
    .join(', ')
}

/** The one to show when there is room for one: the first error, or else the first of all. */
export function foremost(diagnostics: readonly Diagnostic[]): Diagnostic | undefined {
  return diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0]
}
