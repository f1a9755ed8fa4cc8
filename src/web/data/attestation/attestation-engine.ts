import { hexOf, noCrypto, subtleOf } from '../../../attestation/decode/bytes.ts'
import type { Envelope } from '../../../attestation/decode/envelope.ts'
import { diff } from '../../../attestation/diff.ts'
import { type Fingerprint, fingerprints } from '../../../attestation/keys/fingerprints.ts'
import type { SigstoreTrust } from '../../../protocol/proxy-config.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { logEntryFit } from '../../../attestation/signatures/log-entry-fit.ts'
import { pae } from '../../../attestation/signatures/pae.ts'
import type { SignatureVerdict } from '../../../attestation/signatures/signature-verdict.ts'
import { verify } from '../../../attestation/verify.ts'
import type {
  AttestationJob,
  FromAttestationWorker,
  Inspection,
  JobOutcome,
  JobProgress,
  Signed,
  ToAttestationWorker,
} from './attestation-jobs.ts'
import { decodeAny } from './decode-any.ts'
import { hashFile } from './hash-file.ts'

/**
 * What runs in the worker: decodes, verifies, compares and hashes, and tells how far it is. `post`
 * sends to the page. Returns what takes the page's messages; a job that breaks is reported as failed.
 */
export function createAttestationEngine(
  post: (message: FromAttestationWorker) => void,
): (message: ToAttestationWorker) => Promise<void> {
  return async ({ id, job }) => {
    try {
      const outcome = await outcomeOf(job, (progress) => {
        post({ kind: 'progress', id, progress })
      })
      post({ kind: 'done', id, outcome })
    } catch (error) {
      const reason = reasonOf(error)
      post({ kind: 'failed', id, reason })
    }
  }
}

async function outcomeOf(
  job: AttestationJob,
  onProgress: (progress: JobProgress) => void,
): Promise<JobOutcome> {
  switch (job.kind) {
    case 'decode': {
      const input = job.input instanceof Blob ? await bytesOf(job.input, onProgress) : job.input
      onProgress({ what: 'decoding', done: 0, of: 0 })
      return { kind: job.kind, answer: await decodeAny(input) }
    }
    case 'inspect':
      return { kind: job.kind, answer: await inspectEnvelope(job, onProgress) }
    case 'survey': {
      const all: Pick<Inspection, 'verdicts' | 'keyless'>[] = []
      // Of many, none may keep the others waiting for long.
      const limit = Math.max(1_000, Math.floor(10_000 / job.envelopes.length))
      for (const envelope of job.envelopes) {
        const verdicts = await verify(envelope, job.keys, { limit })
        all.push(await withKeyless(envelope, verdicts, job.sigstore))
        onProgress({ what: 'verifying', done: all.length, of: job.envelopes.length })
      }
      return { kind: job.kind, answer: all }
    }
    case 'compare':
      onProgress({ what: 'comparing', done: 0, of: 0 })
      return { kind: job.kind, answer: diff(job.before, job.after) }
    case 'hash':
      return { kind: job.kind, answer: await hashFile(job.file, job.algorithms, onProgress) }
    case 'fingerprints': {
      const subtle = subtleOf()
      const all = subtle ? job.keys.map((key) => fingerprints(key, subtle)) : []
      return { kind: job.kind, answer: await Promise.all(all) }
    }
  }
}

async function bytesOf(
  file: Blob,
  onProgress: (progress: JobProgress) => void,
): Promise<Uint8Array> {
  onProgress({ what: 'reading', done: 0, of: file.size })
  return new Uint8Array(await file.arrayBuffer())
}

/** Judges the signatures of an envelope, and what there is to know of the keys and what was signed. */
async function inspectEnvelope(
  { envelope, keys, sigstore }: Extract<AttestationJob, { kind: 'inspect' }>,
  onProgress: (progress: JobProgress) => void,
): Promise<Inspection> {
  const subtle = subtleOf()
  const all = envelope.signatures.length
  const step = Math.max(1, Math.floor(all / 100))
  onProgress({ what: 'verifying', done: 0, of: all })
  const own = await verify(envelope, keys, {
    progress: (done, of) => {
      if (done % step === 0) onProgress({ what: 'verifying', done, of })
    },
  })
  const { verdicts, keyless } = await withKeyless(envelope, own, sigstore)
  return {
    verdicts,
    keyless,
    fingerprints: await printsOf(verdicts, subtle),
    signed: await signedOf(envelope, subtle),
    logFits: subtle
      ? await Promise.all(envelope.logEntries.map((entry) => logEntryFit(entry, envelope, subtle)))
      : [],
  }
}

/**
 * The verdicts with the key of a keyless signature as that of its trusted identity, where all that is
 * needed was checked. What checks it is loaded for bundles with a certificate alone.
 */
async function withKeyless(
  envelope: Envelope,
  verdicts: readonly SignatureVerdict[],
  sigstore: SigstoreTrust | undefined,
): Promise<Pick<Inspection, 'verdicts' | 'keyless'>> {
  const [certificate] = envelope.certificates
  const isBeside = envelope.signatures.some((one) => one.certificate !== undefined)
  if (sigstore === undefined || (certificate === undefined && !isBeside)) {
    return { verdicts, keyless: undefined }
  }
  if (certificate === undefined || subtleOf() === undefined) {
    const detail = certificate === undefined ? onlyInBundles : noCrypto
    const check = { name: 'Certificate', state: 'not-checked', detail } as const
    return { verdicts, keyless: { checks: [check], signer: undefined } }
  }
  const { checkKeyless } = await import('./keyless.ts')
  const keyless = await checkKeyless(envelope, verdicts, sigstore)
  const name = keyless?.signer?.name
  if (name === undefined) return { verdicts, keyless }
  const isOwn = ({ key }: SignatureVerdict) => key?.origin === 'certificate in the bundle'
  const trusted = verdicts.map((one) =>
    one.key !== undefined && isOwn(one)
      ? // Whom it names is shown from it: it must be the certificate that was checked.
        { ...one, key: { ...one.key, origin: 'identity' as const, name, certificate } }
      : one,
  )
  return { verdicts: trusted, keyless }
}

const onlyInBundles =
  'Keyless identities are only checked in Sigstore bundles; this certificate stands beside a signature.'

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
    sha256: await sha256(message),
    payloadSha256: await sha256(message.slice(message.length - payload.length)),
  }
}

/** The memory of payloads and their trees in what was decoded, which goes over to the page without being copied. */
export function buffersOf(outcome: JobOutcome): ArrayBuffer[] {
  if (outcome.kind !== 'decode' || !outcome.answer.ok) return []
  const buffers = new Set<ArrayBuffer>()
  for (const { content, payload } of outcome.answer.items) {
    if (payload.buffer instanceof ArrayBuffer) buffers.add(payload.buffer)
    if (content.kind !== 'json') continue
    for (const part of Object.values(content.tree)) {
      if (ArrayBuffer.isView(part) && part.buffer instanceof ArrayBuffer) buffers.add(part.buffer)
    }
  }
  return [...buffers]
}
