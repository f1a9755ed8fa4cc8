import { type Curve, curves } from './curves.ts'
import { derSequence, derUnsigned } from './der.ts'
import { hexOf } from './hex.ts'

/** How r and s of an ECDSA signature were written: the DER of X9.62, or IEEE P1363's r||s. */
export type EcdsaForm = 'DER' | 'P1363'

/** An ECDSA signature as WebCrypto takes it: r||s, each as long as the order of the curve. */
export interface EcdsaSignature {
  readonly form: EcdsaForm
  readonly rs: Uint8Array<ArrayBuffer>
}

/**
 * What the bytes can mean on a curve: as DER, read strictly (nothing after it, no BER length, no
 * padded or negative integer), and as r||s of exactly the right length. Empty where r or s would be
 * 0 or not below the order of the curve.
 */
export function ecdsaSignatures(bytes: Uint8Array, curve: Curve): EcdsaSignature[] {
  const readings: EcdsaSignature[] = []
  // Two integers of 67 bytes make 141; reading on could take any time.
  if (bytes.length > 200) return readings
  const [r, s, ...more] = derSequence(bytes) ?? []
  if (r && s && more.length === 0) {
    const rs = joinRS(derUnsigned(bytes, r), derUnsigned(bytes, s), curve)
    if (rs) readings.push({ form: 'DER', rs })
  }
  const { size } = curves[curve]
  if (bytes.length === 2 * size) {
    const rs = joinRS(bytes.subarray(0, size), bytes.subarray(size), curve)
    if (rs) readings.push({ form: 'P1363', rs })
  }
  return readings
}

/** r||s of two magnitudes, or undefined where one is missing or out of its range. */
export function joinRS(
  r: Uint8Array | undefined,
  s: Uint8Array | undefined,
  curve: Curve,
): Uint8Array<ArrayBuffer> | undefined {
  const { size, order } = curves[curve]
  if (!r || !s || r.length > size || s.length > size) return undefined
  const rs = new Uint8Array(2 * size)
  rs.set(r, size - r.length)
  rs.set(s, 2 * size - s.length)
  const isInRange = [rs.subarray(0, size), rs.subarray(size)].every((half) => {
    // Hex of one length and case compares like the numbers.
    return half.some((byte) => byte !== 0) && hexOf(half) < order
  })
  return isInRange ? rs : undefined
}
