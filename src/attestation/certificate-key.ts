import { derSequence, derTag, derChildren } from './der.ts'
import { type PublicKey, readSpki } from './public-key.ts'

/**
 * The public key of an X.509 certificate (RFC 5280, 4.1), or undefined where the bytes are no
 * certificate. Nothing else of the certificate is looked at: who it names is what `identity.ts`
 * tells.
 */
export function certificateKey(bytes: Uint8Array): PublicKey | undefined {
  const [body, , signature] = derSequence(bytes) ?? []
  if (body?.tag !== derTag.sequence || signature?.tag !== derTag.bitString) return undefined
  const fields = derChildren(bytes, body) ?? []
  const hasVersion = fields[0]?.tag === explicitVersion
  // After the version: serial number, algorithm, issuer, validity, subject, and then the key.
  const key = fields[hasVersion ? 6 : 5]
  return key && readSpki(bytes.subarray(key.from, key.to))
}

const explicitVersion = 0xa0
