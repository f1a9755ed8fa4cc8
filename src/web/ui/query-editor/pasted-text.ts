/**
 * What is put in when `text` is pasted into a query: curly quotes and spaces that do not break become
 * the ones that the language knows. Lines are kept only where the query already has several; else
 * they become one, with a space for each break.
 */
export function pastedText(text: string, intoLines: boolean): string {
  const straight = text.replaceAll(/[“”„‟]/g, '"').replaceAll(/[\u00a0\u202f\u2007]/g, ' ')
  if (intoLines) return straight.replaceAll(/\r\n?/g, '\n')
  return straight.replace(/\s+$/, '').replaceAll(/[ \t]*(?:\r\n?|\n)+[ \t]*/g, ' ')
}
