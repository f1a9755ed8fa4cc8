import type { Expression, Flag, FreeText, Term } from './tree.ts'

/** The parts of an expression that hold no others, in order. */
export function leavesOf(expression: Expression | undefined): (Term | Flag | FreeText)[] {
  const leaves: (Term | Flag | FreeText)[] = []
  collect(expression, leaves)
  return leaves
}

function collect(expression: Expression | undefined, leaves: (Term | Flag | FreeText)[]): void {
  switch (expression?.type) {
    case undefined:
      return
    case 'and':
    case 'or':
      for (const operand of expression.operands) collect(operand, leaves)
      return
    case 'not':
      collect(expression.operand, leaves)
      return
    case 'group':
      collect(expression.inner, leaves)
      return
    case 'term':
    case 'flag':
    case 'free-text':
      leaves.push(expression)
  }
}
