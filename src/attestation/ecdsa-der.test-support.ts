import { derElement, derInteger } from './decode/der.ts'

/** r||s as WebCrypto makes it, as the DER that most signers write. */
export function ecdsaDer(rs: Uint8Array): Uint8Array {
  const half = rs.length / 2
  return derElement(0x30, derInteger(rs.subarray(0, half)), derInteger(rs.subarray(half)))
}
