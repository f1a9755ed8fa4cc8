import type { Diagnostic } from '../../../search/diagnostic.ts'
import { countOf } from '../../../protocol/count.ts'

/** How much is wrong or doubtful: "2 errors, 1 warning"; empty where nothing is. */
export function problemCountText(diagnostics: readonly Diagnostic[]): string {
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

/** The one to be told when there is room for one: the first error, or else the first of all. */
export function foremost(diagnostics: readonly Diagnostic[]): Diagnostic | undefined {
  return diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0]
}
