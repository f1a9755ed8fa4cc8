/**
 * A text as bytes for scanning: one for each UTF-16 unit, so that offsets are the same, and DEL for all
 * that is not ASCII. Reading bytes is several times as fast as asking a string for its characters.
 */
export function asciiOf(text: string): Uint8Array<ArrayBuffer> {
  const codes = new Uint8Array(text.length)
  const { read, written } = encoder.encodeInto(text, codes)
  // Where each character took one byte, that is all.
  if (read === text.length && written === text.length) return codes
  for (let at = 0; at < text.length; at++) codes[at] = Math.min(text.charCodeAt(at), notAscii)
  return codes
}

const notAscii = 0x7f
const encoder = new TextEncoder()
