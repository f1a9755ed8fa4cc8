import { ExternalTokenizer, type InputStream } from '@lezer/lr'
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

/**
 * Where the word at the input ends: at a delimiter that is neither quoted nor escaped. `"a b"` and
 * “a b” go on to the closing quote; a quote that is never closed ends at the next delimiter. The
 * look-ahead for a closing quote fails once in a text at most for each kind of quote, as it then has
 * seen that there is none: reading stays linear.
 */
function wordEnd(input: InputStream, isEnd: (code: number) => boolean): number {
  while (!isEnd(input.next)) {
    const code = input.next
    input.advance()
    if (code === backslash) {
      if (input.next !== endOfText && !isSpace(input.next)) input.advance()
    } else if (code === quote) {
      const unclosed = skipQuoted(input, isEnd, (code) => code === quote)
      if (unclosed !== undefined) return unclosed
    } else if (isCurlyQuote(code)) {
      const unclosed = skipQuoted(input, isEnd, isCurlyQuote)
      if (unclosed !== undefined) return unclosed
    }
  }
  return input.pos
}

/** Passes over the closing quote; where there is none, says where the word ends. */
function skipQuoted(
  input: InputStream,
  isEnd: (code: number) => boolean,
  isClosing: (code: number) => boolean,
): number | undefined {
  let firstEnd: number | undefined
  while (input.next !== endOfText) {
    const code = input.next
    if (isEnd(code)) firstEnd ??= input.pos
    input.advance()
    if (isClosing(code)) return undefined
    if (code === backslash && (isClosing(input.next) || input.next === backslash)) input.advance()
  }
  return firstEnd ?? input.pos
}

/** What ends the text as the tokenizers read it. */
const endOfText = -1

export const quote = 0x22
export const backslash = 0x5c
export const star = 0x2a
const openParenthesis = 0x28
const closeParenthesis = 0x29
const openBracket = 0x5b
const closeBracket = 0x5d
const colon = 0x3a
const less = 0x3c
const equals = 0x3d
const greater = 0x3e
const minus = 0x2d
const dot = 0x2e
const bang = 0x21

/** What `\s` of a regular expression matches, NBSP and U+2028 among them; so does `space` in the grammar. */
export function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  if (code < 0xa0) return false
  if (code < 0x2000) return code === 0xa0 || code === 0x1680
  if (code < 0x3001) {
    return (
      code <= 0x200a ||
      code === 0x2028 ||
      code === 0x2029 ||
      code === 0x202f ||
      code === 0x205f ||
      code === 0x3000
    )
  }
  return code === 0xfeff
}

/** “, ” and „, which keyboards and documents write in place of a quote. */
function isCurlyQuote(code: number): boolean {
  return code === 0x201c || code === 0x201d || code === 0x201e
}

/** Where a value without quotes ends, and a word of any kind. */
function isDelimiter(code: number): boolean {
  return (
    code === endOfText || code === openParenthesis || code === closeParenthesis || isSpace(code)
  )
}

/** Letters of any script, digits and underscores. */
function isWordCharacter(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === 0x5f
}

/** Everything past ASCII that is no space and no quote counts: names are then unknown, not unreadable. */
function isLetter(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
  return !isSpace(code) && !isCurlyQuote(code)
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
