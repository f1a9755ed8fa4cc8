/** The parts in one array of its own. */
export function joinBytes(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** A big-endian number without the zeros it begins with; zero itself becomes empty. */
export function withoutLeadingZeros(number: Uint8Array): Uint8Array {
  let at = 0
  while (at < number.length && number[at] === 0) at += 1
  return number.subarray(at)
}

/** Whether two arrays hold the same bytes. Nothing here is secret, so it may stop early. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

/** The bytes as lower-case hex. */
export function hexOf(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0')
  return text
}

/** The bytes of a hex text in either case, or undefined where it is not whole bytes of hex. */
export function bytesOfHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 2 === 1 || !/^[0-9a-f]*$/i.test(text)) return undefined
  const bytes = new Uint8Array(text.length / 2)
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16)
  }
  return bytes
}

/**
 * A text as bytes for scanning: one for each UTF-16 unit, so that offsets are the same, and DEL for all
 * that is not ASCII. Reading bytes is several times as fast as reading the characters of a string.
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

/** WebCrypto's functions, by a type that Node's own declarations have as well as those of browsers. */
export type Subtle = (typeof globalThis.crypto)['subtle']

/** What verification needs of the environment: `globalThis.crypto`, or one that a test gives. */
export interface WebCrypto {
  /** Missing in a page that was loaded over plain http from another machine. */
  readonly subtle?: Subtle
}

/** The cryptography of the environment, or undefined where it offers none. */
export function subtleOf(crypto: WebCrypto | undefined = environment()): Subtle | undefined {
  return crypto?.subtle
}

/** What is said of every signature where there is no cryptography. */
export const noCrypto =
  "Signatures can't be verified on this page because it was loaded over plain HTTP, where browsers " +
  'have no cryptography. Open it over HTTPS, or on the machine that serves it (localhost).'

function environment(): WebCrypto | undefined {
  return globalThis.crypto
}
