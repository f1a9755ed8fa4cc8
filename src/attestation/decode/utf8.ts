export type Utf8Result =
  | { readonly ok: true; readonly text: string; readonly hadMark: boolean }
  /** `offset`: the first byte that is no part of valid UTF-8. */
  | { readonly ok: false; readonly offset: number }

/**
 * Decodes UTF-8 strictly: overlong forms, surrogates and cut sequences are refused with the offset of
 * the byte where the wrong sequence begins. A byte order mark is left out and reported. Never throws.
 */
export function decodeUtf8(bytes: Uint8Array): Utf8Result {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const hadMark = text.startsWith(byteOrderMark)
    return { ok: true, text: hadMark ? text.slice(1) : text, hadMark }
  } catch {
    // TextDecoder does not say where.
    return { ok: false, offset: firstInvalid(bytes) }
  }
}

export const byteOrderMark = '\uFEFF'

/** The text of UTF-16 that begins with its byte order mark, without the mark; undefined where there is none. */
export function decodeUtf16(bytes: Uint8Array): string | undefined {
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff
  if (!isLittle && !isBig) return undefined
  return new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be').decode(bytes)
}

function firstInvalid(bytes: Uint8Array): number {
  let at = 0
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at)
    if (length === 0) return at
    at += length
  }
  return bytes.length
}

/** Length of the valid sequence at `at` (Unicode, table 3-7), or 0 where there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return 1
  const second = bytes[at + 1] ?? 0
  if (lead >= 0xc2 && lead <= 0xdf) return isTail(second) ? 2 : 0
  if (lead >= 0xe0 && lead <= 0xef) {
    const lowest = lead === 0xe0 ? 0xa0 : 0x80
    const highest = lead === 0xed ? 0x9f : 0xbf
    const isSecond = second >= lowest && second <= highest
    return isSecond && isTail(bytes[at + 2]) ? 3 : 0
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const lowest = lead === 0xf0 ? 0x90 : 0x80
    const highest = lead === 0xf4 ? 0x8f : 0xbf
    const isSecond = second >= lowest && second <= highest
    return isSecond && isTail(bytes[at + 2]) && isTail(bytes[at + 3]) ? 4 : 0
  }
  return 0
}

function isTail(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
