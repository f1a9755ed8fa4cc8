// What strangers wrote, cut, and as texts of CSV and Markdown in which it is neither a formula nor markup.

/** The beginning of a text, of so many characters at most; no character is cut in two. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length)
}

/** The same with a mark at its end where there was more. */
export function shortText(text: string, most: number): string {
  return text.length > most ? `${cutText(text, most - 1).trimEnd()}…` : text
}

/** What stands in a cell; null where nothing does. */
export type CsvValue = string | number | null

/**
 * A line of CSV with its line break (RFC 4180). A text that a spreadsheet would run as a formula
 * gets an apostrophe in front: what builds say is written by strangers. So does a part of one behind what
 * is a separator in other countries, as a semicolon is in Germany: quotes don't hold it together there.
 */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: CsvValue): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const guarded = value.replaceAll(/(?<=[;\t\r\n])(?=[^\S\t\r\n]*[=+\-@＝＋－＠])/g, "'")
  const text = /^[\s\uFEFF]*[=+\-@＝＋－＠]|^[\t\r\n]/.test(guarded) ? `'${guarded}` : guarded
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A text as one cell of a Markdown table. */
export function cellText(text: string): string {
  return inline(text).replaceAll('|', '\\|')
}

/** A text as one line of Markdown in which nothing is markup. */
export function inline(text: string): string {
  return text
    .replace(unseen, ' ')
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_~[\]<>]|&(?=#?\w+;)/g, (char) => `\\${char}`)
}

/** A text as code on one line of Markdown, whatever is in it. */
export function code(text: string): string {
  let longest = 0
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  const fence = '`'.repeat(longest + 1)
  const space = longest > 0 ? ' ' : ''
  const shown = text.replace(unseen, ' ').replace(/\s+/g, ' ')
  // Without anything in it, it would be no code.
  return `${fence}${space}${shown === '' ? ' ' : shown}${space}${fence}`
}

/** A text of several lines as a block of code, whatever is in it; without control characters. */
export function codeBlock(text: string): string {
  let longest = 2
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  const fence = '`'.repeat(longest + 1)
  const lines = text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replace(unseen, ' ').trimEnd())
  return `${fence}text\n${lines.join('\n')}\n${fence}`
}

/** Control characters but tabs, and those that turn the direction of writing: a text with them isn't what it looks like. */
export const unseen = /(?!\t)[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu
