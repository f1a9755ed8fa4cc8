import { decodeBase64 } from './base64.ts'

/**
 * The signature inside a Sigstore MessageSignature (`{"messageDigest": …, "signature": …}`), which
 * some put where the bytes of a signature belong (research/attestation.md 1, "DSSE extension");
 * undefined where the bytes are no such JSON. Its digest is a hint by its own specification and is
 * not looked at: what counts is the signature over the message itself.
 */
export function messageSignature(bytes: Uint8Array): Uint8Array | undefined {
  // "{", and no signature of that kind is long.
  if (bytes[0] !== 0x7b || bytes.length > 100_000) return undefined
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof value !== 'object' || value === null || !('signature' in value)) return undefined
    if (!('messageDigest' in value) || typeof value.signature !== 'string') return undefined
    const decoded = decodeBase64(value.signature)
    return decoded.ok ? decoded.bytes : undefined
  } catch {
    // Bytes that happen to begin with a brace.
    return undefined
  }
}
