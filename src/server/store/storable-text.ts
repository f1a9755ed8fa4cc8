/**
 * A text as both databases take it: PostgreSQL knows neither NUL nor halves of characters, which are
 * replaced.
 */
export function storableText(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\ufffd')
}
