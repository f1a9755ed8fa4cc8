import type { Expression, Query, Span, Term, Word } from '../tree.ts'

/**
 * A query as the cases in corpus/ write it: what was read, in brackets, and a line for each fault.
 * Unquoted text stands in '…', quoted in "…", wildcards are *; & and | are operators that are written.
 */
export function outline({ text, root, faults }: Query): string {
  const lines = faults.map((fault) => `! ${fault.code} ${sliceOf(text, fault)}`)
  return [root ? expressionOutline(text, root) : 'nothing', ...lines].join('\n')
}

function expressionOutline(text: string, part: Expression): string {
  switch (part.type) {
    case 'and':
    case 'or': {
      const sign = part.type === 'and' ? '&' : '|'
      const operands = part.operands.map((operand, index) => {
        const before = part.operands[index - 1]
        const isWritten = part.operators.some(
          ({ from, to }) => before && from >= before.to && to <= operand.from,
        )
        return (isWritten ? sign : '') + expressionOutline(text, operand)
      })
      return `${part.type}(${operands.join(', ')})`
    }
    case 'not':
      return `${part.operator.symbol}(${expressionOutline(text, part.operand)})`
    case 'group':
      return `group(${part.inner ? expressionOutline(text, part.inner) : ''}${part.closed ? ')' : '…'}`
    case 'term':
      return `${part.field.name} ${part.operator.colon && part.operator.symbol !== ':' ? ':' : ''}${part.operator.symbol} ${patternOutline(part)}`
    case 'flag':
      return `flag ${part.field.name}`
    case 'free-text':
      return `text ${sliceOf(text, part)}`
  }
}

function patternOutline({ pattern }: Term): string {
  switch (pattern.type) {
    case 'missing':
      return 'nothing'
    case 'word':
      return wordOutline(pattern)
    case 'range': {
      const words = [
        pattern.low ? wordOutline(pattern.low) : '_',
        pattern.separator ? 'to' : '?',
        pattern.high ? wordOutline(pattern.high) : '_',
      ]
      return `[${words.join(' ')}${pattern.closed ? ']' : '…'}`
    }
  }
}

function wordOutline({ segments }: Word): string {
  if (segments.length === 0) return '""'
  return segments
    .map((segment) => {
      if (segment.type === 'wildcard') return '*'
      return segment.quoted ? `"${segment.text}"` : `'${segment.text}'`
    })
    .join('')
}

function sliceOf(text: string, { from, to }: Span): string {
  return `${from}-${to} «${text.slice(from, to)}»`
}
