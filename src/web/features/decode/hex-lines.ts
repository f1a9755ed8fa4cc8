/** Bytes in one line of a hex dump. */
export const bytesPerLine = 16

/** One line of a hex dump: offset, bytes, and the letters that they are in ASCII. */
export interface HexLine {
  readonly offset: string
  readonly hex: string
  readonly letters: string
}

/** The line at an index from 0. */
export function hexLine(bytes: Uint8Array, index: number): HexLine {
  const from = index * bytesPerLine
  const part = bytes.subarray(from, from + bytesPerLine)
  const hex = Array.from(part, (byte) => byte.toString(16).padStart(2, '0'))
  const letters = Array.from(part, (byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·',
  )
  return {
    offset: from.toString(16).padStart(8, '0'),
    hex: `${hex.slice(0, 8).join(' ')}  ${hex.slice(8).join(' ')}`.trimEnd(),
    letters: letters.join(''),
  }
}
