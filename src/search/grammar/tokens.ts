import { ExternalTokenizer, type InputStream } from '@lezer/lr'
import {
  bang,
  closeBracket,
  colon,
  dot,
  endOfText,
  equals,
  greater,
  isDelimiter,
  isLetter,
  isSpace,
  isWordCharacter,
  less,
  minus,
  openBracket,
  openParenthesis,
} from './characters.ts'
import {
  AndWord,
  Bang,
  End,
  FieldName,
  Flag,
  FreeText,
  Minus,
  MissingRangeEnd,
  MissingValue,
  NotWord,
  OrWord,
  RangeEnd,
  RangeStart,
  RangeValue,
  StrayBracket,
  ToWord,
  Value,
} from './parser.terms.ts'
import { wordEnd } from './word-end.ts'

const keywords = new Map([
  ['and', AndWord],
  ['or', OrWord],
  ['not', NotWord],
])

/** Where a part of the query begins. Together with the parentheses of the grammar it reads any text. */
export const termTokens = new ExternalTokenizer((input) => {
  const { next } = input
  if (next === endOfText) input.acceptToken(End)
  else if (next === closeBracket) acceptOne(input, StrayBracket)
  else if (isSign(input)) acceptOne(input, next === minus ? Minus : Bang)
  else if (!isDelimiter(next)) acceptWord(input)
})

/** Right behind an operator, so that a value may begin with `-`, and `user: tag:ci` keeps its tag. */
export const valueTokens = new ExternalTokenizer((input) => {
  if (input.next === openBracket) acceptOne(input, RangeStart)
  else if (isDelimiter(input.next)) input.acceptToken(MissingValue)
  else input.acceptTokenTo(Value, wordEnd(input, isDelimiter))
})

/** Between brackets. The end of the text, a parenthesis and the next term end a range that is left open. */
export const rangeTokens = new ExternalTokenizer((input) => {
  if (isSpace(input.next)) return
  if (input.next === closeBracket) {
    acceptOne(input, RangeEnd)
    return
  }
  const start = input.pos
  if (isSign(input)) input.advance()
  const name = readName(input)
  const isWord = isRangeDelimiter(input.next)
  if (isWord && name === 'to' && input.pos === start + 2) input.acceptToken(ToWord)
  else if (input.pos === start && isWord) input.acceptToken(MissingRangeEnd)
  else if (name !== undefined && (startsOperator(input) || (isWord && keywords.has(name)))) {
    input.acceptTokenTo(MissingRangeEnd, start)
  } else input.acceptTokenTo(RangeValue, wordEnd(input, isRangeDelimiter))
})

/** `-` and `!` negate what stands right behind them. Apart from it they are words, as in `a - b`. */
function isSign(input: InputStream): boolean {
  if (input.next !== minus && input.next !== bang) return false
  const behind = input.peek(1)
  if (input.next === bang && behind === equals) return false
  return behind === openParenthesis || !isDelimiter(behind)
}

/** A field before its operator, a keyword, a name alone; or else free text. */
function acceptWord(input: InputStream): void {
  const name = readName(input)
  if (name !== undefined && startsOperator(input)) input.acceptToken(FieldName)
  else if (name !== undefined && isDelimiter(input.next) && !name.includes('-')) {
    input.acceptToken(keywords.get(name) ?? Flag)
  } else input.acceptTokenTo(FreeText, wordEnd(input, isDelimiter))
}

/** Passes over a name; its first letters in lower case, enough to know a keyword; undefined without one. */
function readName(input: InputStream): string | undefined {
  if (!isLetter(input.next)) return undefined
  let name = ''
  while (isWordCharacter(input.next) || input.next === dot || input.next === minus) {
    if (name.length < 4 || input.next === minus) name += String.fromCharCode(input.next)
    input.advance()
  }
  return name.toLowerCase()
}

function startsOperator(input: InputStream): boolean {
  const { next } = input
  if (next === bang) return input.peek(1) === equals
  return next === colon || next === less || next === greater || next === equals
}

function isRangeDelimiter(code: number): boolean {
  return code === closeBracket || isDelimiter(code)
}

function acceptOne(input: InputStream, token: number): void {
  input.advance()
  input.acceptToken(token)
}
