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
