/** A text in parentheses. A backslash at its end would take away the meaning of the one that closes. */
export function inParentheses(text: string): string {
  return `(${text}${gapBehind(text)})`
}

/** What has to stand between a text and a parenthesis or bracket that closes. */
export function gapBehind(text: string): string {
  return text.endsWith('\\') ? ' ' : ''
}
