import type { Combination, Span } from './tree.ts'

/** One change of a text: what stands from `from` to `to` becomes `insert`. */
export interface TextEdit extends Span {
  readonly insert: string
}

/** A way to make a diagnostic go away. Edits do not overlap and are in order. */
export interface Fix {
  /** What it does, as an instruction: "Write project". */
  readonly label: string
  readonly edits: readonly TextEdit[]
}

/** What is wrong, or doubtful, in a query: where, and what to do. */
export interface Diagnostic extends Span {
  /** With an error the query means nothing; with the others it has a meaning, perhaps not the intended one. */
  readonly severity: 'error' | 'warning' | 'info'
  /** Stable, such as `field.unknown` or `value.range-reversed`. */
  readonly code: string
  /** One or two plain sentences: what is wrong, and what to do. */
  readonly message: string
  readonly fixes: readonly Fix[]
}

type Details = [span: Span, code: string, message: string, fixes?: readonly Fix[]]

/** A diagnostic with which the query means nothing. */
export function error(...details: Details): Diagnostic {
  return diagnostic('error', ...details)
}

/** A diagnostic of a query that can hardly mean what it says. */
export function warning(...details: Details): Diagnostic {
  return diagnostic('warning', ...details)
}

/** A diagnostic of a query that could say the same more plainly. */
export function info(...details: Details): Diagnostic {
  return diagnostic('info', ...details)
}

function diagnostic(
  severity: Diagnostic['severity'],
  ...[{ from, to }, code, message, fixes = []]: Details
): Diagnostic {
  return { from, to, severity, code, message, fixes }
}

/** The text after the edits; they do not overlap, and may be in any order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = ''
  let at = 0
  for (const { from, to, insert } of [...edits].sort((a, b) => a.from - b.from || a.to - b.to)) {
    result += text.slice(at, from) + insert
    at = to
  }
  return result + text.slice(at)
}

/** Where a part of a query stands: among the operands of a combination, or as all there is. */
export interface Place {
  readonly combination: Combination | undefined
  readonly index: number
  /** The last one of several operands that are one part. */
  readonly last?: number
}

/**
 * The edit that takes out what stands at a place, with the operator that joins it to the others, the
 * parentheses and negations around it alone, and the space that they leave.
 */
export function removal({ combination, index, last = index }: Place, text: string): TextEdit {
  const operands = combination?.operands ?? []
  const [before, first] = [operands[index - 1], operands[index]]
  const [own, after] = [operands[last], operands[last + 1]]
  if (!own || !first) return { from: 0, to: text.length, insert: '' }
  if (!before) return { from: first.from, to: after?.from ?? own.to, insert: '' }
  const glues = isWordAt(text, before.to - 1) && isWordAt(text, own.to)
  return { from: before.to, to: own.to, insert: glues ? ' ' : '' }
}

/** Whether the character at an offset is part of a word, and would join one written beside it. */
export function isWordAt(text: string, at: number): boolean {
  return /[^\s()]/.test(text.charAt(at))
}
