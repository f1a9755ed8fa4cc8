import type { TreeCursor } from '@lezer/common'
import { readWord } from './read-word.ts'
import type { Operator, Range, Span, SyntaxFault, Term, Word } from './tree.ts'

interface Source {
  readonly text: string
  readonly faults: SyntaxFault[]
}

/** The term at the cursor, which stays where it is. */
export function readTerm(cursor: TreeCursor, source: Source): Term {
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
