import { derElement, derTag } from './decode/der.ts'
import { toBase64 } from './decode/base64.ts'

/** Base64 of what has the form of a certificate of a key (RFC 5280, 4.1), signed by nobody. */
export function certificateOf({ spki }: { readonly spki: Uint8Array }): string {
  const empty = derElement(derTag.sequence)
  const serial = derElement(derTag.integer, Uint8Array.of(1))
  const body = derElement(derTag.sequence, serial, empty, empty, empty, empty, spki)
  const signature = derElement(derTag.bitString, Uint8Array.of(0))
  return toBase64(derElement(derTag.sequence, body, empty, signature))
}
