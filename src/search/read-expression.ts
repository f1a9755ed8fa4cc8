import type { TreeCursor } from '@lezer/common'
import { readTerm } from './read-term.ts'
import { readWord } from './read-word.ts'
import type { Combination, Expression, Group, Negation, Span, SyntaxFault } from './tree.ts'

/** What is read, where its faults go, and how many parentheses and negations are around. */
interface Reading {
  readonly text: string
  readonly faults: SyntaxFault[]
  readonly depth: number
}

/** Parentheses and negations inside one another; deeper ones are a fault and are not read. */
const deepest = 100

/** The part of a query at the cursor, which stays where it is. Undefined where it holds nothing. */
export function readExpression(cursor: TreeCursor, reading: Reading): Expression | undefined {
  const { from, to } = cursor
  switch (cursor.name) {
    case 'Or':
      return readCombination(cursor, reading, 'or')
    case 'And':
      return readCombination(cursor, reading, 'and')
    case 'Not':
      return readNegation(cursor, reading)
    case 'Group':
      return readGroup(cursor, reading)
    case 'Term':
      return readTerm(cursor, reading)
    case 'Flag':
      return { type: 'flag', from, to, field: { from, to, name: reading.text.slice(from, to) } }
    case 'FreeText':
      // For its quotes.
      readWord(reading.text, { from, to }, reading.faults)
      return { type: 'free-text', from, to }
    case 'Stray':
    case 'StrayBracket':
      addClosing(reading, { from, to })
      return undefined
    default:
      // The end of the text; past the depth that the parser can hold, what it made of the rest.
      if (from < to) reading.faults.push({ code: 'unexpected-text', from, to })
      return undefined
  }
}

function readCombination(
  cursor: TreeCursor,
  reading: Reading,
  type: Combination['type'],
): Expression | undefined {
  const operands: Expression[] = []
  const operators: Span[] = []
  let pending: Span | undefined
  cursor.firstChild()
  do {
    if (cursor.name === 'AndWord' || cursor.name === 'OrWord') {
      const operator = { from: cursor.from, to: cursor.to }
      if (operands.length === 0 || pending) addDangling(reading, operator)
      else pending = operator
    } else {
      const operand = readExpression(cursor, reading)
      if (operand) {
        if (pending) operators.push(pending)
        pending = undefined
        operands.push(operand)
      }
    }
  } while (cursor.nextSibling())
  cursor.parent()
  if (pending) addDangling(reading, pending)
  const [first] = operands
  const last = operands.at(-1)
  if (!first || !last || first === last) return first
  return { type, from: first.from, to: last.to, operands, operators }
}

function readNegation(cursor: TreeCursor, reading: Reading): Negation | Group | undefined {
  if (reading.depth === deepest) return tooDeep(cursor, reading)
  cursor.firstChild()
  const { from, to } = cursor
  const symbol = negationSymbols.get(cursor.name) ?? 'not'
  const operand = cursor.nextSibling() ? readExpression(cursor, deeper(reading)) : undefined
  cursor.parent()
  if (operand) {
    return { type: 'not', from, to: operand.to, operator: { from, to, symbol }, operand }
  }
  addDangling(reading, { from, to })
  return undefined
}

const negationSymbols = new Map<string, Negation['operator']['symbol']>([
  ['Minus', '-'],
  ['Bang', '!'],
])

function readGroup(cursor: TreeCursor, reading: Reading): Group {
  if (reading.depth === deepest) return tooDeep(cursor, reading)
  const { from, to } = cursor
  let inner: Expression | undefined
  cursor.firstChild()
  cursor.nextSibling()
  const isEmpty = cursor.name === 'Close'
  if (!isEmpty && cursor.name !== 'End') {
    inner = readExpression(cursor, deeper(reading))
    cursor.nextSibling()
  }
  const closed = cursor.name === 'Close'
  cursor.parent()
  if (isEmpty) reading.faults.push({ code: 'empty-group', from, to })
  if (!closed) reading.faults.push({ code: 'unclosed-group', from, to: from + 1 })
  return { type: 'group', from, to: closed ? to : reading.text.trimEnd().length, inner, closed }
}

/** Stands for what is not read any more, so that the operators around it have something beside them. */
function tooDeep({ from, to }: TreeCursor, { faults }: Reading): Group {
  faults.push({ code: 'too-deep', from, to })
  return { type: 'group', from, to, inner: undefined, closed: true }
}

function deeper(reading: Reading): Reading {
  return { ...reading, depth: reading.depth + 1 }
}

function addDangling({ faults }: Reading, { from, to }: Span): void {
  faults.push({ code: 'dangling-operator', from, to })
}

/** One fault for a row of them. */
function addClosing({ faults }: Reading, { from, to }: Span): void {
  const last = faults.at(-1)
  const isNext = last?.code === 'unexpected-closing' && last.to === from
  if (isNext) faults.pop()
  faults.push({ code: 'unexpected-closing', from: isNext ? last.from : from, to })
}
