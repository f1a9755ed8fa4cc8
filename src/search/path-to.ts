import type { Combination, Expression, Group, Negation, Span } from './tree.ts'

/** A part of a query, and from the root inwards what it stands in. */
export interface Path {
  readonly around: readonly Container[]
  readonly part: Expression
}

export type Container = Combination | Negation | Group

/** The way to the part that stands exactly at `span`; undefined where none does. */
export function pathTo(root: Expression | undefined, span: Span): Path | undefined {
  const around: Container[] = []
  let part = root
  while (part) {
    if (part.from === span.from && part.to === span.to) return { around, part }
    if (part.type === 'term' || part.type === 'flag' || part.type === 'free-text') return undefined
    around.push(part)
    part = childrenOf(part).find(({ from, to }) => from <= span.from && span.to <= to)
  }
  return undefined
}

function childrenOf(part: Container): readonly Expression[] {
  switch (part.type) {
    case 'and':
    case 'or':
      return part.operands
    case 'not':
      return [part.operand]
    case 'group':
      return part.inner ? [part.inner] : []
  }
}
