/** What canonical base64 decodes to. */
export interface CanonicalBase64 {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The same as text, where every byte is ASCII. */
  readonly ascii: string | undefined
}

/**
 * Decodes standard base64 as it is nearly always written: whole groups of four, padded, no blanks and
 * no bits left over. The platform does it, several times as fast as a program can. Undefined for
 * anything else, which may still be base64 of a freer kind.
 */
export function decodeCanonicalBase64(text: string): CanonicalBase64 | undefined {
  if (text.length === 0 || text.length % 4 !== 0) return undefined
  const pads = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const binary = binaryOf(text)
  // Shorter: the platform has skipped blanks, or padding that nothing needs.
  if (binary?.length !== (text.length / 4) * 3 - pads) return undefined
  if (btoa(binary.slice(pads - 3)) !== text.slice(-4)) return undefined
  const bytes = new Uint8Array(binary.length)
  return { bytes, ascii: writeBinary(binary, bytes) ? binary : undefined }
}

function binaryOf(text: string): string | undefined {
  try {
    return atob(text)
  } catch {
    // Where it goes wrong is asked for elsewhere.
    return undefined
  }
}

/** Writes a character as a byte each, pieces of ASCII all at once; whether they all were ASCII. */
function writeBinary(binary: string, bytes: Uint8Array<ArrayBuffer>): boolean {
  let isAscii = true
  for (let from = 0; from < binary.length; from += pieceLength) {
    const piece = binary.slice(from, from + pieceLength)
    const { read, written } = encoder.encodeInto(piece, bytes.subarray(from, from + piece.length))
    if (read === piece.length && written === piece.length) continue
    isAscii = false
    for (let at = 0; at < piece.length; at++) bytes[from + at] = piece.charCodeAt(at)
  }
  return isAscii
}

const pieceLength = 0x4000
const encoder = new TextEncoder()
