import type { Decoded } from '../../../attestation/decode.ts'
import type { Change } from '../../../attestation/diff.ts'
import type { Envelope } from '../../../attestation/decode/envelope.ts'
import type { Fingerprint } from '../../../attestation/keys/fingerprints.ts'
import type { JsonTree } from '../../../attestation/decode/json-tree.ts'
import type { LogEntryFit } from '../../../attestation/signatures/log-entry-fit.ts'
import type { SignatureVerdict } from '../../../attestation/signatures/signature-verdict.ts'
import type { TrustedKey } from '../../../attestation/keys/trusted-key.ts'
import type { SigstoreTrust } from '../../../protocol/proxy-config.ts'
import type { AnswerOf } from '../core/page-worker.ts'
import type { KeylessResult } from './keyless.ts'

/**
 * The digests of a file that can be made here, by their names in a statement (in-toto attestation
 * spec, "DigestSet"), those that prove most first. SM3 and GOST are not made, nor what is of more
 * than the bytes of one file.
 */
export const fileAlgorithms = [
  'sha256',
  'sha512',
  'sha384',
  'sha224',
  'sha512_256',
  'sha512_224',
  'sha3_256',
  'sha3_512',
  'sha3_384',
  'sha3_224',
  'blake2b',
  'blake2s',
  'shake256',
  'shake128',
  'ripemd160',
  'gitBlob',
  'sha1',
  'md5',
] as const

export type FileAlgorithm = (typeof fileAlgorithms)[number]

export type AttestationJob =
  | { readonly kind: 'decode'; readonly input: string | Uint8Array | Blob }
  | {
      readonly kind: 'inspect'
      readonly envelope: Envelope
      readonly keys: readonly TrustedKey[]
      readonly sigstore?: SigstoreTrust | undefined
    }
  | {
      readonly kind: 'survey'
      readonly envelopes: readonly Envelope[]
      readonly keys: readonly TrustedKey[]
      readonly sigstore?: SigstoreTrust | undefined
    }
  | { readonly kind: 'compare'; readonly before: JsonTree; readonly after: JsonTree }
  | {
      readonly kind: 'hash'
      readonly file: Blob
      readonly algorithms: readonly FileAlgorithm[]
    }
  | { readonly kind: 'fingerprints'; readonly keys: readonly TrustedKey[] }

export interface AttestationResults {
  readonly decode: Decoded
  readonly inspect: Inspection
  /** Of each envelope, in their order. */
  readonly survey: readonly Pick<Inspection, 'verdicts' | 'keyless'>[]
  readonly compare: readonly Change[]
  /** In the order of the algorithms, of each as many as go by its name. */
  readonly hash: readonly FileDigest[]
  /** In the order of the keys; empty where there is no cryptography. */
  readonly fingerprints: readonly (readonly Fingerprint[])[]
}

export interface Inspection {
  /** One for each signature, in the order of the envelope. */
  readonly verdicts: readonly SignatureVerdict[]
  /** Of the key of each verdict; empty where it has none. */
  readonly fingerprints: readonly (readonly Fingerprint[])[]
  readonly signed: Signed
  /** The checks of its short-lived certificate; undefined where it has none or nobody is trusted so. */
  readonly keyless: KeylessResult | undefined
  readonly logFits: readonly LogEntryFit[]
}

export interface Signed {
  /** Bytes of the whole PAE. */
  readonly length: number
  /** Lower-case hex; undefined without cryptography. */
  readonly sha256: string | undefined
  readonly payloadSha256: string | undefined
}

/** A digest of a whole file, named as in a statement. */
export interface FileDigest {
  readonly algorithm: FileAlgorithm
  /** Lower-case hex. */
  readonly value: string
}

/** How far a job is: `of` is 0 while nobody knows how much there is. */
export interface JobProgress {
  readonly what: 'reading' | 'decoding' | 'verifying' | 'hashing' | 'comparing'
  readonly done: number
  readonly of: number
}

export interface ToAttestationWorker {
  readonly id: number
  readonly job: AttestationJob
}

export type FromAttestationWorker =
  | { readonly kind: 'progress'; readonly id: number; readonly progress: JobProgress }
  | { readonly kind: 'done'; readonly id: number; readonly outcome: JobOutcome }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string }

/** A result with the kind of job that it is of. */
export type JobOutcome = AnswerOf<AttestationResults>
