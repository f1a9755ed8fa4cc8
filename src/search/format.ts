import { applyEdits } from './diagnostic.ts'
import {
  type Combination,
  type Expression,
  gapsOf,
  type Group,
  type Negation,
  type Query,
  type Range,
  type Term,
} from './tree.ts'

/**
 * The query in the form that everybody writes: keywords in lower case, `field>x` without a colon, one
 * space between parts, no doubled parentheses; with `multiline`, one part a line where it is wider
 * than 80 characters. Means the same, and formatting it again changes nothing. Where the text has
 * faults only its spaces are put in order, as the rest cannot be known.
 */
export function format(query: Query, options: { readonly multiline?: boolean } = {}): string {
  const { text, root, faults } = query
  const multiline = options.multiline ?? false
  if (faults.length > 0) return tidySpaces(query, multiline)
  if (!root) return ''
  return multiline ? printLines(text, root).join('\n') : printExpression(text, root)
}

/** A part that is wider than this goes on several lines, where it can. */
const widest = 80

/** A part of a text without faults, on one line or, if it is too wide, one line for each of its parts. */
function printLines(text: string, expression: Expression, indentation = ''): string[] {
  const line = indentation + printExpression(text, expression)
  if (line.length <= widest) return [line]
  return printParts(text, expression, indentation)
}

function printParts(text: string, expression: Expression, indentation: string): string[] {
  switch (expression.type) {
    case 'and':
    case 'or':
      return expression.operands.flatMap((part, index) => {
        // The terms of an `and` within an `or` stand below its first one, further in.
        const isInside = expression.type === 'or' && part.type === 'and'
        const lines = printLines(text, part, indentation)
        return withPrefix(
          isInside ? [lines[0] ?? '', ...lines.slice(1).map((line) => `  ${line}`)] : lines,
          indentation,
          keywordBefore(text, expression, index),
        )
      })
    case 'not':
      return withPrefix(
        printLines(text, expression.operand, indentation),
        indentation,
        printNegation(expression),
      )
    case 'group':
      return [
        `${indentation}(`,
        ...printLines(text, innerOf(expression), `${indentation}  `),
        `${indentation})`,
      ]
    case 'term':
    case 'flag':
    case 'free-text':
      return [indentation + printExpression(text, expression)]
  }
}

function withPrefix(lines: readonly string[], indentation: string, prefix: string): string[] {
  const [first = '', ...others] = lines
  return [indentation + prefix + first.slice(indentation.length), ...others]
}

/** A part of a text without faults, on one line. */
function printExpression(text: string, expression: Expression): string {
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
function keywordBefore(text: string, { operands }: Combination, index: number): string {
  const before = operands[index - 1]
  const part = operands[index]
  if (!before || !part) return ''
  const keyword = text.slice(before.to, part.from).trim().toLowerCase()
  return keyword && `${keyword} `
}

function printNegation({ operator }: Negation): string {
  return operator.symbol === 'not' ? 'not ' : operator.symbol
}

/** What the parentheses hold, without the doubled ones. A group that holds nothing is a fault. */
function innerOf(group: Group): Expression {
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

/** The text with its spaces in order and all else as it is; with `keepLines` a line break stays one. */
function tidySpaces(query: Query, keepLines: boolean): string {
  const edits = gapsOf(query).map(({ from, to }) => ({
    from,
    to,
    insert: query.text
      .slice(from, to)
      .replace(/\s+/g, (space) => (keepLines && space.includes('\n') ? '\n' : ' ')),
  }))
  const tidied = applyEdits(query.text, edits)
  return edits.length > 0 ? tidied.trim() : tidied
}

/** A text in parentheses. A backslash at its end would take away the meaning of the one that closes. */
export function inParentheses(text: string): string {
  return `(${text}${gapBehind(text)})`
}

/** What has to stand between a text and a parenthesis or bracket that closes. */
export function gapBehind(text: string): string {
  return text.endsWith('\\') ? ' ' : ''
}
