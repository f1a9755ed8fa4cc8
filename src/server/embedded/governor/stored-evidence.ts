import { z } from 'zod'
import { decode } from '../../../attestation/decode.ts'
import { readKeys } from '../../../attestation/read-keys.ts'
import { verify } from '../../../attestation/verify.ts'
import { attestationPath, type PackageAddress } from '../../../protocol/package-address.ts'
import type { StoredAttestation } from '../../store/attestations.ts'
import type { Evidence, TrustedKeys } from './evidence.ts'

const Stored = z.looseObject({
  payload: z.string(),
  signatures: z.array(z.looseObject({ keyid: z.string().optional() })),
})
const Statement = z.looseObject({ predicateType: z.string(), predicate: z.unknown() })

/** A stored attestation as policies see it. */
export function storedEvidence(address: PackageAddress, stored: StoredAttestation): Evidence {
  const [digestType = '', digest = ''] = stored.digest.split(':')
  const { attestationId: id, instance, envelope } = stored
  const { payload, signatures } = Stored.parse(JSON.parse(envelope))
  const text = Buffer.from(payload, 'base64').toString('utf8')
  const { predicateType, predicate } = Statement.parse(JSON.parse(text))
  return {
    attestationUri: attestationPath({ ...address, digestType, digest, instance, id }),
    sourcedFromUri: stored.sourcedFromUri,
    predicateType,
    predicate,
    keyIds: signatures.flatMap(({ keyid }) => (keyid === undefined ? [] : [keyid])),
    signedBy: (keys) => verifiedBy(envelope, keys),
  }
}

async function verifiedBy(envelope: string, trusted: TrustedKeys): Promise<readonly string[]> {
  const { keys } = readKeys(JSON.stringify(trusted))
  const decoded = decode(envelope)
  if (!decoded.ok || decoded.envelope === undefined) return []
  const verdicts = await verify(decoded.envelope, keys)
  return verdicts.flatMap((verdict) =>
    verdict.verdict === 'verified' && verdict.key !== undefined ? [verdict.key.name] : [],
  )
}
