import { decode, type Decoded } from '../../../attestation/decode.ts'
import { diff } from '../../../attestation/diff.ts'
import { fingerprints } from '../../../attestation/keys/fingerprints.ts'
import type { SignatureVerdict } from '../../../attestation/signatures/signature-verdict.ts'
import { verify } from '../../../attestation/verify.ts'
import { subtleOf } from '../../../attestation/decode/bytes.ts'
import type {
  AttestationJob,
  FromAttestationWorker,
  JobOutcome,
  JobProgress,
  ToAttestationWorker,
} from './attestation-jobs.ts'
import { hashFile } from './hash-file.ts'
import { inspectEnvelope } from './inspect-envelope.ts'

/**
 * What runs in the worker: decodes, verifies, compares and hashes, and tells how far it is. `post`
 * sends to the page. Returns what takes the page's messages; a job that breaks is told as failed.
 */
export function createAttestationEngine(
  post: (message: FromAttestationWorker) => void,
): (message: ToAttestationWorker) => Promise<void> {
  return async ({ ask, job }) => {
    try {
      const outcome = await outcomeOf(job, (progress) => {
        post({ kind: 'progress', ask, progress })
      })
      post({ kind: 'done', ask, outcome })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      post({ kind: 'failed', ask, reason })
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
      return { kind: job.kind, result: withoutBase64(decode(input)) }
    }
    case 'inspect': {
      const result = await inspectEnvelope(job.envelope, job.keys, onProgress)
      return { kind: job.kind, result }
    }
    case 'survey': {
      const all: SignatureVerdict[][] = []
      for (const envelope of job.envelopes) {
        all.push(await verify(envelope, job.keys, { limit: 1000 }))
        onProgress({ what: 'verifying', done: all.length, of: job.envelopes.length })
      }
      return { kind: job.kind, result: all }
    }
    case 'compare':
      onProgress({ what: 'comparing', done: 0, of: 0 })
      return { kind: job.kind, result: diff(job.before, job.after) }
    case 'hash':
      return { kind: job.kind, result: await hashFile(job.file, job.algorithms, onProgress) }
    case 'fingerprints': {
      const subtle = subtleOf()
      const all = subtle ? job.keys.map((key) => fingerprints(key, subtle)) : []
      return { kind: job.kind, result: await Promise.all(all) }
    }
  }
}

/** The base64 of a payload is as long again as the payload, and nobody asks for it any more. */
function withoutBase64(decoded: Decoded): Decoded {
  if (!decoded.ok) return decoded
  const items = decoded.items.map((item) =>
    item.envelope === undefined
      ? item
      : { ...item, envelope: { ...item.envelope, payloadText: '' } },
  )
  return { ...decoded, ...items[0], items }
}

async function bytesOf(
  file: Blob,
  onProgress: (progress: JobProgress) => void,
): Promise<Uint8Array> {
  onProgress({ what: 'reading', done: 0, of: file.size })
  return new Uint8Array(await file.arrayBuffer())
}
