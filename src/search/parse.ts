import type { Tree, TreeCursor } from '@lezer/common'
import { parser } from './grammar/parser.ts'
import { backslash, isSpace, quote, star } from './grammar/tokens.ts'
import type {
  Combination,
  Expression,
  Group,
  Negation,
  Operator,
  Query,
  Range,
  Segment,
  Span,
  SyntaxFault,
  Term,
  Word,
} from './tree.ts'

/** The longest text that is read, in UTF-16 code units. */
const longestText = 131_072

/**
 * Reads a text in the advanced search language (docs/services.md#advanced-search-syntax). Never
 * throws; what does not follow the grammar is named in `faults`, and all the rest is in the tree.
 * Linear in the length of the text.
 */
export function parse(text: string): Query {
  if (text.length > longestText) return tooLong(text)
  try {
    return queryFromTree(parser.parse(text), text)
  } catch (error) {
    // The parser's tree is built by recursion, which tens of thousands of parentheses exhaust.
    if (!(error instanceof RangeError)) throw error
    return { text, root: undefined, faults: [{ code: 'too-deep', from: 0, to: text.length }] }
  }
}

/**
 * The same for one who already has the syntax tree of the text, as an editor has.
 *
 * @internal
 */
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

/** What is read, where its faults go, and how many parentheses and negations are around. */
interface Reading {
  readonly text: string
  readonly faults: SyntaxFault[]
  readonly depth: number
}

/** Parentheses and negations inside one another; deeper ones are a fault and are not read. */
const deepest = 100

/** The part of a query at the cursor, which stays where it is. Undefined where it holds nothing. */
function readExpression(cursor: TreeCursor, reading: Reading): Expression | undefined {
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

interface Source {
  readonly text: string
  readonly faults: SyntaxFault[]
}

/** The term at the cursor, which stays where it is. */
function readTerm(cursor: TreeCursor, source: Source): Term {
  const { from } = cursor
  cursor.firstChild()
  const field = {
    from,
    to: cursor.to,
    name: source.text.slice(from, cursor.to),
  }
  cursor.nextSibling()
  const operator = readOperator(cursor, source.text)
  cursor.nextSibling()
  const pattern = readPattern(cursor, source)
  cursor.parent()
  return { type: 'term', from, to: pattern.to, field, operator, pattern }
}

function readOperator({ from, to }: TreeCursor, text: string): Operator {
  const colon = text.startsWith(':', from)
  const symbol = symbols.get(text.slice(colon ? from + 1 : from, to)) ?? ':'
  return { from, to, symbol, colon }
}

/** What is written behind the colon, or without one. */
const symbols = new Map<string, Operator['symbol']>([
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
  ['=', '='],
  ['==', '='],
  ['!=', '!='],
])

function readPattern(cursor: TreeCursor, source: Source): Term['pattern'] {
  const { from, to } = cursor
  if (cursor.name === 'Value') return readWord(source.text, { from, to }, source.faults)
  if (cursor.name === 'Range') return readRange(cursor, source)
  return { type: 'missing', from, to: from }
}

function readRange(cursor: TreeCursor, source: Source): Range {
  const { from } = cursor
  const before: Word[] = []
  const after: Word[] = []
  let separator: Span | undefined
  let separators = 0
  let closed = false
  let to = from
  cursor.firstChild()
  do {
    if (cursor.name === 'MissingRangeEnd') break
    to = cursor.to
    if (cursor.name === 'RangeEnd') closed = true
    else if (cursor.name === 'ToWord') {
      separators += 1
      separator ??= { from: cursor.from, to }
    } else if (cursor.name === 'RangeValue') {
      const word = readWord(source.text, { from: cursor.from, to }, source.faults)
      if (separator) after.push(word)
      else before.push(word)
    }
  } while (cursor.nextSibling())
  cursor.parent()
  const [low, second] = before
  const [high] = after
  if (separators > 1 || before.length > 1 || after.length > 1) {
    source.faults.push({ code: 'range-shape', from, to })
  }
  if (!closed) source.faults.push({ code: 'unclosed-range', from, to })
  return { type: 'range', from, to, low, high: separator ? high : second, separator, closed }
}

/**
 * The value that is written at `span`, with its quotes and escapes resolved. Outside quotes a backslash
 * takes the character behind it as it is, unless that is a space; inside, `\"` and `\\` alone are
 * escapes. `*` is a wildcard in both, `\*` outside quotes is not. Curly quotes are text.
 */
export function readWord(text: string, { from, to }: Span, faults: SyntaxFault[]): Word {
  const segments: Segment[] = []
  let start = from
  let resolved = ''
  let quotedFrom = -1

  function endSegment(end: number): void {
    if (resolved !== '') {
      segments.push({ type: 'text', from: start, to: end, text: resolved, quoted: quotedFrom >= 0 })
    }
    resolved = ''
  }

  let at = from
  while (at < to) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      endSegment(at)
      quotedFrom = quotedFrom >= 0 ? -1 : at
      start = ++at
    } else if (code === star) {
      endSegment(at)
      segments.push({ type: 'wildcard', from: at, to: ++at })
      start = at
    } else {
      const isEscape =
        code === backslash && at + 1 < to && isEscaped(text.charCodeAt(at + 1), quotedFrom >= 0)
      if (isEscape) at += 1
      const next = isEscape ? at + 1 : plainEnd(text, at + 1, to)
      resolved += text.slice(at, next)
      at = next
    }
  }
  endSegment(to)
  if (quotedFrom >= 0) faults.push({ code: 'unclosed-quote', from: quotedFrom, to })
  return { type: 'word', from, to, segments }
}

function isEscaped(code: number, quoted: boolean): boolean {
  return quoted ? code === quote || code === backslash : !isSpace(code)
}

/** The end of the stretch that means nothing but itself. */
function plainEnd(text: string, from: number, to: number): number {
  let at = from
  while (at < to) {
    const code = text.charCodeAt(at)
    if (code === quote || code === star || code === backslash) break
    at += 1
  }
  return at
}
