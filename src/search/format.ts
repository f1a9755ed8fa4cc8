import { printLines } from './print-lines.ts'
import { printExpression } from './print-expression.ts'
import { tidySpaces } from './tidy-spaces.ts'
import type { Query } from './tree.ts'

/**
 * The query in the form that everybody writes: keywords in lower case, `field>x` without a colon, one
 * space between parts, no doubled parentheses; with `multiline`, one part a line where it is wider
 * than 80 characters. Means the same, and formatting it again changes nothing. Where the text has
 * faults only its spaces are put in order, as nobody can tell what the rest is to become.
 */
export function format(query: Query, options: { readonly multiline?: boolean } = {}): string {
  const { text, root, faults } = query
  const multiline = options.multiline ?? false
  if (faults.length > 0) return tidySpaces(query, multiline)
  if (!root) return ''
  return multiline ? printLines(text, root).join('\n') : printExpression(text, root)
}
