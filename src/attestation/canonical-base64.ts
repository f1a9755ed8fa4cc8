/** `Uint8Array.fromBase64` (ECMAScript 2026), which not every engine has yet. */
export type FromBase64 = (
  text: string,
  options: { readonly lastChunkHandling: 'strict' },
) => Uint8Array<ArrayBuffer>

/**
 * Decodes standard base64 as it is nearly always written: whole groups of four, padded, no blanks and
 * no bits left over. The platform does it, several times as fast as a program can. Undefined for
 * anything else, which may still be base64 of a freer kind.
 */
export function decodeCanonicalBase64(
  text: string,
  fromBase64: FromBase64 | undefined = ofPlatform,
): Uint8Array<ArrayBuffer> | undefined {
  if (text.length === 0 || text.length % 4 !== 0) return undefined
  const pads = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = fromBase64 ? strictly(text, fromBase64) : fromBinary(text, pads)
  // Shorter: the platform has skipped blanks, or padding that nothing needs.
  return bytes?.length === (text.length / 4) * 3 - pads ? bytes : undefined
}

const { fromBase64: ofPlatform } = Uint8Array as { readonly fromBase64?: FromBase64 }

function strictly(text: string, fromBase64: FromBase64): Uint8Array<ArrayBuffer> | undefined {
  try {
    return fromBase64(text, { lastChunkHandling: 'strict' })
  } catch {
    // Where it goes wrong is asked for elsewhere.
    return undefined
  }
}

/** For engines that only have `atob`, which lets left over bits pass. */
function fromBinary(text: string, pads: number): Uint8Array<ArrayBuffer> | undefined {
  let binary: string
  try {
    binary = atob(text)
  } catch {
    return undefined
  }
  if (btoa(binary.slice(pads - 3)) !== text.slice(-4)) return undefined
  const bytes = new Uint8Array(binary.length)
  for (let from = 0; from < binary.length; from += pieceLength) {
    writePiece(binary.slice(from, from + pieceLength), bytes, from)
  }
  return bytes
}

/** Writes a character as a byte each: ASCII all at once. */
function writePiece(piece: string, bytes: Uint8Array<ArrayBuffer>, from: number): void {
  const { read, written } = encoder.encodeInto(piece, bytes.subarray(from, from + piece.length))
  if (read === piece.length && written === piece.length) return
  for (let at = 0; at < piece.length; at++) bytes[from + at] = piece.charCodeAt(at)
}

const pieceLength = 0x4000
const encoder = new TextEncoder()
