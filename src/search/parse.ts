import type { Tree } from '@lezer/common'
import { parser } from './grammar/parser.ts'
import { readExpression } from './read-expression.ts'
import type { Expression, Query, SyntaxFault } from './tree.ts'

/** The longest text that is read, in UTF-16 code units. */
const longestText = 131_072

/**
 * Reads a text in the advanced search language (docs/services.md#advanced-search-syntax). Never
 * throws; what does not follow the grammar is named in `faults`, and all the rest is in the tree.
 * Linear in the length of the text.
 */
export function parse(text: string): Query {
  return text.length > longestText ? tooLong(text) : queryFromTree(parser.parse(text), text)
}

/** The same for one who already has the syntax tree of the text, as an editor has. */
export function queryFromTree(tree: Tree, text: string): Query {
  if (text.length > longestText) return tooLong(text)
  // A parser that ran out of time leaves a tree that is shorter than the text.
  if (tree.length !== text.length) return parse(text)
  const faults: SyntaxFault[] = []
  let root: Expression | undefined
  const cursor = tree.cursor()
  if (cursor.firstChild()) root = readExpression(cursor, { text, faults, depth: 0 })
  return { text, root, faults: faults.sort((a, b) => a.from - b.from || b.to - a.to) }
}

function tooLong(text: string): Query {
  const fault = { code: 'too-long', from: longestText, to: text.length } as const
  return { text, root: undefined, faults: [fault] }
}
