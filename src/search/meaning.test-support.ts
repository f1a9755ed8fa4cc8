import type { Expression, Query, Term, Word } from './tree.ts'

/** What a query says, without positions and without groups directly inside groups. */
export function meaning({ root, faults }: Query): unknown {
  return { root: root && expressionMeaning(root), faults: faults.map(({ code }) => code) }
}

function expressionMeaning(part: Expression): unknown {
  switch (part.type) {
    case 'and':
    case 'or':
      return [part.type, ...part.operands.map(expressionMeaning)]
    case 'not':
      return ['not', part.operator.symbol, expressionMeaning(part.operand)]
    case 'group':
      if (part.inner?.type === 'group' && part.closed) return expressionMeaning(part.inner)
      return ['group', part.inner && expressionMeaning(part.inner), part.closed]
    case 'term':
      return [part.field.name, part.operator.symbol, patternMeaning(part)]
    case 'flag':
      return ['flag', part.field.name]
    case 'free-text':
      return ['text', part.to - part.from]
  }
}

function patternMeaning({ pattern }: Term): unknown {
  if (pattern.type === 'missing') return 'missing'
  if (pattern.type === 'word') return wordMeaning(pattern)
  const { low, high, separator, closed } = pattern
  return [low && wordMeaning(low), separator && 'to', high && wordMeaning(high), closed]
}

function wordMeaning({ segments }: Word): unknown {
  return segments.map((segment) =>
    segment.type === 'wildcard' ? '*' : [segment.text, segment.quoted],
  )
}
