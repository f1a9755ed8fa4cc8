import { decode } from '../../src/attestation/decode.ts'
import { readKeys } from '../../src/attestation/keys/read-keys.ts'
import { verify } from '../../src/attestation/verify.ts'
import type { Signed } from './signed-envelopes.ts'

/** Decodes and verifies envelopes as the product does. Throws where one does not verify. */
export async function readOurs({ texts, pem }: Signed): Promise<void> {
  const { keys } = readKeys(pem)
  for (const text of texts) {
    const decoded = decode(text)
    if (!decoded.ok || !decoded.envelope) throw new Error('not decoded')
    const [verdict] = await verify(decoded.envelope, keys)
    if (verdict?.verdict !== 'verified') throw new Error(verdict?.reason ?? 'no verdict')
  }
}
