import type { Expression, Query, SyntaxFault } from './tree.ts'

/**
 * The parts of a query that cannot be read: for each fault the smallest part around it, or
 * undefined where it lies in no part, as a trailing `and` does; then nothing of the query can be.
 */
export function faultyParts({ root, faults }: Query): ReadonlySet<Expression | undefined> {
  return new Set(faults.map((fault) => smallestPart(root, fault)))
}

function smallestPart(root: Expression | undefined, fault: SyntaxFault): Expression | undefined {
  let smallest: Expression | undefined
  let part = root && holds(root, fault) ? root : undefined
  while (part) {
    smallest = part
    part = childAround(part, fault)
  }
  return smallest
}

function childAround(part: Expression, fault: SyntaxFault): Expression | undefined {
  switch (part.type) {
    case 'and':
    case 'or':
      return operandAround(part.operands, fault)
    case 'not':
      return holds(part.operand, fault) ? part.operand : undefined
    case 'group':
      return part.inner && holds(part.inner, fault) ? part.inner : undefined
    case 'term':
    case 'flag':
    case 'free-text':
      return undefined
  }
}

/** By halving: there may be thousands of operands, and as many faults. */
function operandAround(
  operands: readonly Expression[],
  fault: SyntaxFault,
): Expression | undefined {
  let first = 0
  let last = operands.length
  while (first < last) {
    const middle = (first + last) >> 1
    const operand = operands[middle]
    if (operand && operand.to < fault.to) first = middle + 1
    else last = middle
  }
  const candidate = operands[first]
  return candidate && holds(candidate, fault) ? candidate : undefined
}

function holds(part: Expression, fault: SyntaxFault): boolean {
  return part.from <= fault.from && fault.to <= part.to
}
