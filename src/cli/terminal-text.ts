/**
 * A text of a server as one line that a terminal and the log of a pipeline only show: without control
 * characters, which move cursors, and without those that turn the direction of writing.
 */
export function terminalLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')
    .trim()
}
