import { gapBehind, inParentheses } from './parentheses.ts'
import type { Combination, Expression, Group, Negation, Range, Term } from './tree.ts'

/** A part of a text without faults, on one line. */
export function printExpression(text: string, expression: Expression): string {
  switch (expression.type) {
    case 'and':
    case 'or':
      return expression.operands
        .map((part, index) => keywordBefore(text, expression, index) + printExpression(text, part))
        .join(' ')
    case 'not':
      return printNegation(expression) + printExpression(text, expression.operand)
    case 'group':
      return inParentheses(printExpression(text, innerOf(expression)))
    case 'term':
      return printTerm(text, expression)
    case 'flag':
    case 'free-text':
      return text.slice(expression.from, expression.to)
  }
}

/** The keyword before an operand and a space, or nothing where it is the first or `and` was left out. */
export function keywordBefore(text: string, { operands }: Combination, index: number): string {
  const before = operands[index - 1]
  const part = operands[index]
  if (!before || !part) return ''
  const keyword = text.slice(before.to, part.from).trim().toLowerCase()
  return keyword && `${keyword} `
}

export function printNegation({ operator }: Negation): string {
  return operator.symbol === 'not' ? 'not ' : operator.symbol
}

/** What the parentheses hold, without the doubled ones. A group that holds nothing is a fault. */
export function innerOf(group: Group): Expression {
  let inner: Expression = group
  while (inner.type === 'group' && inner.inner) inner = inner.inner
  return inner
}

function printTerm(text: string, { field, operator, pattern }: Term): string {
  const isComparison = operator.symbol.startsWith('<') || operator.symbol.startsWith('>')
  const symbol = isComparison ? operator.symbol : text.slice(operator.from, operator.to)
  const value =
    pattern.type === 'range' ? printRange(text, pattern) : text.slice(pattern.from, pattern.to)
  return field.name + symbol + value
}

function printRange(text: string, { low, separator, high }: Range): string {
  const words = [
    low && text.slice(low.from, low.to),
    separator && 'to',
    high && text.slice(high.from, high.to),
  ]
  const inside = words.filter((word) => word !== undefined).join(' ')
  return `[${inside}${gapBehind(inside)}]`
}
