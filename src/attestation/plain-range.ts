/**
 * Whether a range of ASCII bytes has neither control characters nor backslashes: what a long string of
 * JSON must be to need no further look. Four bytes at a time, which a payload of megabytes is worth.
 */
export function isPlainRange(codes: Uint8Array, from: number, to: number): boolean {
  const firstWord = Math.ceil((codes.byteOffset + from) / 4)
  const lastWord = Math.floor((codes.byteOffset + to) / 4)
  if (lastWord <= firstWord) return isPlain(codes, from, to)
  const words = new Int32Array(codes.buffer, 0, lastWord)
  let found = 0
  for (let at = firstWord; at < lastWord; at++) {
    const word = words[at] ?? 0
    // The high bit of a byte is set by a borrow: from below 32, or from the difference to a backslash.
    const other = word ^ backslashes
    found |= (word - blanks) | (other - ones)
  }
  if ((found & highBits) !== 0) return false
  const start = firstWord * 4 - codes.byteOffset
  const end = lastWord * 4 - codes.byteOffset
  return isPlain(codes, from, start) && isPlain(codes, end, to)
}

const blanks = 0x20202020
const ones = 0x01010101
const backslashes = 0x5c5c5c5c
const highBits = 0x80808080
const backslash = 0x5c

function isPlain(codes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = codes[at] ?? 0
    if (code < 32 || code === backslash) return false
  }
  return true
}
