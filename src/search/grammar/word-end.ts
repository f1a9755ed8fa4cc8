import type { InputStream } from '@lezer/lr'
import { backslash, endOfText, isCurlyQuote, isSpace, quote } from './characters.ts'

/**
 * Where the word at the input ends: at a delimiter that is neither quoted nor escaped. `"a b"` and
 * “a b” go on to the closing quote; a quote that is never closed ends at the next delimiter. The
 * look-ahead for a closing quote fails once in a text at most for each kind of quote, as it then has
 * seen that there is none: reading stays linear.
 */
export function wordEnd(input: InputStream, isEnd: (code: number) => boolean): number {
  while (!isEnd(input.next)) {
    const code = input.next
    input.advance()
    if (code === backslash) {
      if (input.next !== endOfText && !isSpace(input.next)) input.advance()
    } else if (code === quote) {
      const unclosed = skipQuoted(input, isEnd, isQuote)
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

function isQuote(code: number): boolean {
  return code === quote
}
