import type { TextEdit } from './diagnostic.ts'
import type { Combination } from './tree.ts'

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

function isWordAt(text: string, at: number): boolean {
  return /[^\s()]/.test(text.charAt(at))
}
