import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
} from 'node:crypto'
import { pae } from '../../../attestation/pae.ts'
import { keptSigningKey } from '../../store/attestations.ts'
import type { Database } from '../../store/database.ts'

/** Signs statements. */
export interface Signer {
  /** SHA-256 of the public key as DER, lower-case hex. */
  readonly keyid: string
  /** The public key as PEM: what somebody trusts. */
  readonly publicPem: string
  /** The DSSE envelope of a statement, as JSON text. */
  readonly envelope: (statement: object) => string
}

const payloadType = 'application/vnd.in-toto+json'

/** The signer of a database: its ECDSA P-256 key is made at the first start, and kept there. */
export async function openSigner(database: Database, name = 'release'): Promise<Signer> {
  const pem = await keptSigningKey(database, name, () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString(),
  )
  const key = createPrivateKey(pem)
  const publicKey = createPublicKey(key)
  const keyid = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
  return {
    keyid,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    envelope: (statement) => {
      const payload = Buffer.from(JSON.stringify(statement), 'utf8')
      const sig = sign('sha256', pae(payloadType, payload), key)
      return JSON.stringify({
        payload: payload.toString('base64'),
        payloadType,
        signatures: [{ keyid, sig: sig.toString('base64') }],
      })
    },
  }
}
