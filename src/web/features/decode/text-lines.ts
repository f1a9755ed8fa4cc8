/** A line longer than this goes on in the next row, so that no row is endless. */
const longest = 160

/** Where each row of a text begins; the row after the last would begin at its end. */
export function rowStarts(text: string): Int32Array {
  const starts: number[] = []
  for (let line = 0; line <= text.length;) {
    const feed = text.indexOf('\n', line)
    const end = feed === -1 ? text.length : feed
    for (let at = line; at < end || at === line; at += longest) starts.push(at)
    if (feed === -1) break
    line = feed + 1
  }
  return Int32Array.from(starts)
}

/** The text of a row, without its line break. */
export function rowText(text: string, starts: Int32Array, row: number): string {
  return text.slice(starts[row] ?? 0, starts[row + 1] ?? text.length).replace(/\r?\n$/, '')
}
