import { asciiOf } from './bytes.ts'

/** What a base64 text does that the strict standard does not, though its meaning is clear. */
export type Base64Quirk =
  | 'url-alphabet'
  | 'mixed-alphabets'
  | 'missing-padding'
  | 'whitespace'
  | 'trailing-bits'

export type Base64Result =
  | {
      readonly ok: true
      readonly bytes: Uint8Array
      readonly quirks: readonly Base64Quirk[]
    }
  | { readonly ok: false; readonly offset: number; readonly problem: string }

/**
 * Decodes standard and URL-safe base64, as DSSE requires of verifiers ("verifiers MUST accept either").
 * Whitespace, missing padding, both alphabets in one text and non-zero trailing bits are accepted and
 * named as quirks; anything else is refused with the offset (UTF-16 units) of the first wrong
 * character and a sentence that says what is wrong there. `known` is the text in `asciiOf`, for those
 * who have it. Never throws; linear.
 */
export function decodeBase64(text: string, known?: Uint8Array): Base64Result {
  const canonical = decodeCanonicalBase64(text)
  if (canonical) return { ok: true, bytes: canonical, quirks: [] }
  const codes = known ?? asciiOf(text)
  const bytes = new Uint8Array(Math.floor((text.length / 4) * 3) + 3)
  return decodeCarefully(text, codes, decodePlainRun(codes, bytes), bytes)
}

const notInAlphabet = 255
const skipped = 254
const padding = 253
const sextets = new Uint8Array(256).fill(notInAlphabet)
for (const alphabet of ['+/', '-_']) {
  const all = `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${alphabet}`
  for (let value = 0; value < 64; value++) sextets[all.charCodeAt(value)] = value
}
for (const blank of ' \t\r\n') sextets[blank.charCodeAt(0)] = skipped
sextets['='.charCodeAt(0)] = padding

/** Both sextets of two characters at once, or a number above 12 bits where one is none. */
const pairs = new Uint16Array(0x10000)
for (let pair = 0; pair < pairs.length; pair++) {
  const first = sextets[pair >> 8] ?? notInAlphabet
  const second = sextets[pair & 0xff] ?? notInAlphabet
  pairs[pair] = (first | second) > 63 ? 0xffff : (first << 6) | second
}

/** Decodes groups of four until one is not plain; how many characters that took. */
function decodePlainRun(codes: Uint8Array, bytes: Uint8Array): number {
  const end = codes.length - 3
  let to = 0
  let at = 0
  for (; at < end; at += 4) {
    const high = pairs[((codes[at] ?? 0) << 8) | (codes[at + 1] ?? 0)] ?? 0
    const low = pairs[((codes[at + 2] ?? 0) << 8) | (codes[at + 3] ?? 0)] ?? 0
    if ((high | low) > 0xfff) break
    bytes[to] = high >> 4
    bytes[to + 1] = (high << 4) | (low >> 8)
    bytes[to + 2] = low
    to += 3
  }
  return at
}

function decodeCarefully(
  text: string,
  codes: Uint8Array,
  from: number,
  bytes: Uint8Array,
): Base64Result {
  const quirks = new Set<Base64Quirk>()
  let to = (from / 4) * 3
  let bits = 0
  let held = 0
  let pads = 0
  for (let at = from; at < text.length; at++) {
    const value = sextets[codes[at] ?? 0] ?? notInAlphabet
    if (value === skipped) quirks.add('whitespace')
    else if (value === notInAlphabet) return refused(at, foreign(text, at))
    else if (value === padding) pads += 1
    else if (pads > 0) return refused(at, 'there is text after the padding "="')
    else {
      bits = (bits << 6) | value
      held += 6
      if (held >= 8) {
        held -= 8
        bytes[to++] = bits >> held
        bits &= (1 << held) - 1
      }
    }
    // Up to two, and only where a group of four has that much room left.
    if (value === padding && (held === 0 || held === 6 || pads > held / 2)) {
      return refused(at, 'there is unexpected padding "="')
    }
  }
  if (held === 6) return refused(text.length, 'the text ends inside a group of four characters')
  if (pads < held / 2) quirks.add('missing-padding')
  if (bits !== 0) quirks.add('trailing-bits')
  noteAlphabet(text, quirks)
  return { ok: true, bytes: bytes.subarray(0, to), quirks: [...quirks] }
}

function noteAlphabet(text: string, quirks: Set<Base64Quirk>): void {
  const isUrl = text.includes('-') || text.includes('_')
  if (!isUrl) return
  quirks.add(text.includes('+') || text.includes('/') ? 'mixed-alphabets' : 'url-alphabet')
}

function refused(offset: number, problem: string): Base64Result {
  return { ok: false, offset, problem }
}

function foreign(text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0
  const isPlain = code > 0x20 && code < 0x7f
  const name = isPlain
    ? `"${String.fromCodePoint(code)}"`
    : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  return `the character ${name} isn't in either base64 alphabet`
}

/** `Uint8Array.fromBase64` (ECMAScript 2026), which not every engine has yet. */
export type FromBase64 = (
  text: string,
  options: { readonly lastChunkHandling: 'strict' },
) => Uint8Array<ArrayBuffer>

/** Decodes base64 of whole, padded groups by the platform, several times as fast; undefined for anything freer. */
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
    // The caller finds out where it goes wrong.
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

/** The bytes as standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  }
  return btoa(binary)
}

/** The same in the URL-safe alphabet, without padding (RFC 4648, 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return withoutPadding(toBase64(bytes)).replaceAll('+', '-').replaceAll('/', '_')
}

/** A base64 text without the "=" it ends with. */
export function withoutPadding(base64: string): string {
  return base64.replace(/={1,2}$/, '')
}
