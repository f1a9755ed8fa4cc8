import type { Envelope } from '../../../attestation/decode/envelope.ts'
import { type Fingerprint, fingerprints } from '../../../attestation/keys/fingerprints.ts'
import { hexOf, subtleOf } from '../../../attestation/decode/bytes.ts'
import { logEntryFit } from '../../../attestation/signatures/log-entry-fit.ts'
import { pae } from '../../../attestation/signatures/pae.ts'
import type { SignatureVerdict } from '../../../attestation/signatures/signature-verdict.ts'
import type { TrustedKey } from '../../../attestation/keys/trusted-key.ts'
import { verify } from '../../../attestation/verify.ts'
import type { Inspection, JobProgress, Signed } from './attestation-jobs.ts'

/** Judges the signatures of an envelope, and what there is to know of the keys and what was signed. */
export async function inspectEnvelope(
  envelope: Envelope,
  keys: readonly TrustedKey[],
  onProgress: (progress: JobProgress) => void,
): Promise<Inspection> {
  const subtle = subtleOf()
  const all = envelope.signatures.length
  const step = Math.max(1, Math.floor(all / 100))
  onProgress({ what: 'verifying', done: 0, of: all })
  const verdicts = await verify(envelope, keys, {
    progress: (done, of) => {
      if (done % step === 0) onProgress({ what: 'verifying', done, of })
    },
  })
  return {
    verdicts,
    fingerprints: await printsOf(verdicts, subtle),
    signed: await signedOf(envelope, subtle),
    logFits: subtle
      ? await Promise.all(envelope.logEntries.map((entry) => logEntryFit(entry, envelope, subtle)))
      : [],
    canVerify: subtle !== undefined,
  }
}

/** The same key is hashed once, however often it signed. */
async function printsOf(
  verdicts: readonly SignatureVerdict[],
  subtle: SubtleCrypto | undefined,
): Promise<(readonly Fingerprint[])[]> {
  const known = new Map<string, readonly Fingerprint[]>()
  const prints: (readonly Fingerprint[])[] = []
  for (const { key } of verdicts) {
    if (key === undefined || subtle === undefined) {
      prints.push([])
      continue
    }
    const id = `${hexOf(key.spki)} ${key.certificate ?? ''}`
    const made = known.get(id) ?? (await fingerprints(key, subtle))
    known.set(id, made)
    prints.push(made)
  }
  return prints
}

async function signedOf(
  { payloadType, payload }: Envelope,
  subtle: SubtleCrypto | undefined,
): Promise<Signed> {
  const message = pae(payloadType, payload)
  const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> =>
    subtle && hexOf(new Uint8Array(await subtle.digest('SHA-256', bytes)))
  return {
    length: message.length,
    typeLength: new TextEncoder().encode(payloadType).length,
    payloadLength: payload.length,
    sha256: await sha256(message),
    payloadSha256: await sha256(message.slice(message.length - payload.length)),
  }
}
