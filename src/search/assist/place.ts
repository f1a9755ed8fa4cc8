import type {
  Combination,
  Expression,
  Flag,
  FreeText,
  Group,
  Negation,
  Query,
  Term,
} from '../tree.ts'

/** Where in a tree a position is. */
export interface Place {
  /** The term or name that the position touches, the one on its left where there are two. */
  readonly leaf: Term | Flag | FreeText | undefined
  /** What is around the position, from the root inwards. */
  readonly around: readonly (Combination | Negation | Group)[]
}

/** The place of a position (UTF-16 offset) in a query. */
export function placeAt({ root }: Query, pos: number): Place {
  const around: (Combination | Negation | Group)[] = []
  let part = root && touches(root, pos) ? root : undefined
  while (part) {
    switch (part.type) {
      case 'term':
      case 'flag':
      case 'free-text':
        return { leaf: part, around }
      case 'and':
      case 'or':
        around.push(part)
        part = operandAt(part.operands, pos)
        break
      case 'not':
        around.push(part)
        part = touches(part.operand, pos) ? part.operand : undefined
        break
      case 'group':
        around.push(part)
        part = part.inner && touches(part.inner, pos) ? part.inner : undefined
    }
  }
  return { leaf: undefined, around }
}

function touches({ from, to }: Expression, pos: number): boolean {
  return from <= pos && pos <= to
}

function operandAt(operands: readonly Expression[], pos: number): Expression | undefined {
  const touching = operands.filter((operand) => touches(operand, pos))
  // Nothing can be typed into a group from behind its parenthesis.
  return touching.find(({ type }) => type !== 'group') ?? touching[0]
}
