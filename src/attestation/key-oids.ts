import { curveNames, curves } from './curves.ts'
import { hexOf } from './hex.ts'
import { dottedOid } from './oid.ts'

/** Contents of object identifiers in hex: RFC 3279, 4055, 5480, 8410, 9881. */
export const keyOid = {
  ec: '2a8648ce3d0201',
  ed25519: '2b6570',
  rsa: '2a864886f70d010101',
  rsaPss: '2a864886f70d01010a',
} as const

/** What is known by name though nothing here verifies with it. */
const unsupported: Readonly<Record<string, string>> = {
  '2b6571': 'Ed448',
  '2b656e': 'X25519 (for key agreement, it signs nothing)',
  '2b656f': 'X448 (for key agreement, it signs nothing)',
  '2a8648ce380401': 'DSA',
  '2a864886f70d010301': 'Diffie-Hellman (it signs nothing)',
  '608648016503040311': 'ML-DSA-44',
  '608648016503040312': 'ML-DSA-65',
  '608648016503040313': 'ML-DSA-87',
  '2b8104000a': 'secp256k1',
  '2b81040021': 'P-224',
  '2a8648ce3d030101': 'P-192',
  '2b2403030208010107': 'brainpoolP256r1',
  '2b240303020801010b': 'brainpoolP384r1',
  '2b240303020801010d': 'brainpoolP512r1',
  '2a811ccf5501822d': 'SM2',
}

/** The curve of an object identifier's content, if it is one that WebCrypto knows. */
export function curveOfOid(content: Uint8Array): (typeof curveNames)[number] | undefined {
  const hex = hexOf(content)
  return curveNames.find((name) => curves[name].oid === hex)
}

/** The name of an algorithm or curve that is not supported, or its identifier in dots. */
export function unsupportedName(content: Uint8Array): string {
  return unsupported[hexOf(content)] ?? `the algorithm ${dottedOid(content)}`
}
