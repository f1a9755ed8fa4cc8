import { joinBytes } from './bytes.ts'

/** Reads what OpenSSH writes in binary: integers and strings, one after another (RFC 4251, 5). */
export interface SshReader {
  /** The next string, or undefined where the bytes end before it does. */
  readonly string: () => Uint8Array | undefined
  /** The next string as ASCII text. */
  readonly text: () => string | undefined
  /** The next four bytes as a number. */
  readonly uint32: () => number | undefined
  /** Whether everything was read. */
  readonly isAtEnd: () => boolean
}

/** A reader that begins at `from`. After the first undefined nothing it says means anything. */
export function sshReader(bytes: Uint8Array, from = 0): SshReader {
  let at = from
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const uint32 = (): number | undefined => {
    if (at + 4 > bytes.length) return undefined
    at += 4
    return view.getUint32(at - 4)
  }
  const string = (): Uint8Array | undefined => {
    const length = uint32()
    if (length === undefined || at + length > bytes.length) return undefined
    at += length
    return bytes.subarray(at - length, at)
  }
  const text = (): string | undefined => {
    const content = string()
    return content && new TextDecoder().decode(content)
  }
  return { string, text, uint32, isAtEnd: () => at === bytes.length }
}

/** The parts as SSH strings, one after another; texts in UTF-8. */
export function sshStrings(...parts: (Uint8Array | string)[]): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = []
  for (const part of parts) {
    const bytes = typeof part === 'string' ? new TextEncoder().encode(part) : part
    const length = new Uint8Array(4)
    new DataView(length.buffer).setUint32(0, bytes.length)
    pieces.push(length, bytes)
  }
  return joinBytes(...pieces)
}

/** A non-negative number as an SSH mpint: no needless zeros, one where the first bit is set. */
export function sshMpint(magnitude: Uint8Array): Uint8Array {
  return (magnitude[0] ?? 0) >= 0x80 ? joinBytes(Uint8Array.of(0), magnitude) : magnitude
}

/** The magnitude of an SSH mpint, or undefined where it is negative or padded. */
export function ofMpint(mpint: Uint8Array | undefined): Uint8Array | undefined {
  const [first, second] = mpint ?? []
  if (!mpint || first === undefined || first >= 0x80) return undefined
  if (first !== 0) return mpint
  return second !== undefined && second >= 0x80 ? mpint.subarray(1) : undefined
}
