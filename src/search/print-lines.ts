import { innerOf, keywordBefore, printExpression, printNegation } from './print-expression.ts'
import type { Expression } from './tree.ts'

/** A part that is wider than this goes on several lines, where it can. */
const widest = 80

/** A part of a text without faults, on one line or, if it is too wide, one line for each of its parts. */
export function printLines(text: string, expression: Expression, indentation = ''): string[] {
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
