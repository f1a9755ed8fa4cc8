/** What ends the text as the tokenizers read it. */
export const endOfText = -1

export const quote = 0x22
export const backslash = 0x5c
export const star = 0x2a
export const openParenthesis = 0x28
const closeParenthesis = 0x29
export const openBracket = 0x5b
export const closeBracket = 0x5d
export const colon = 0x3a
export const less = 0x3c
export const equals = 0x3d
export const greater = 0x3e
export const minus = 0x2d
export const dot = 0x2e
export const bang = 0x21

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
export function isCurlyQuote(code: number): boolean {
  return code === 0x201c || code === 0x201d || code === 0x201e
}

/** Where a value without quotes ends, and a word of any kind. */
export function isDelimiter(code: number): boolean {
  return (
    code === endOfText || code === openParenthesis || code === closeParenthesis || isSpace(code)
  )
}

/** Letters of any script, digits and underscores. */
export function isWordCharacter(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === 0x5f
}

/** Everything past ASCII that is no space and no quote counts: names are then unknown, not unreadable. */
export function isLetter(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
  return !isSpace(code) && !isCurlyQuote(code)
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
