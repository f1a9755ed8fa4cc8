/**
 * Whether the bytes can be an Ed25519 signature: 64 of them, the scalar S below the order of the
 * group. Without the second check the same signature could be written in more than one way
 * (RFC 8032, 5.1.7), and not every implementation makes it.
 */
export function isEd25519Signature(bytes: Uint8Array): boolean {
  if (bytes.length !== 64) return false
  let scalar = 0n
  for (const byte of bytes.subarray(32).toReversed()) scalar = (scalar << 8n) | BigInt(byte)
  return scalar < groupOrder
}

const groupOrder = (1n << 252n) + 27742317777372353535851937790883648493n
