import { decodeBase64 } from '../decode/base64.ts'
import { bytesOfHex, sameBytes } from '../decode/bytes.ts'
import type { Envelope, LogEntry } from '../decode/envelope.ts'
import type { Hash } from '../keys/key-algorithm.ts'
import { protobufHashes } from './attempt.ts'
import { pae } from './pae.ts'

/** Whether a transparency log entry is about the envelope that brings it. */
export type LogEntryFit =
  | 'fits'
  | 'payload-only'
  | 'other-payload'
  | 'other-signature'
  | 'unreadable'

/**
 * Compares what a log entry says of itself with the envelope: the hash of what was signed, and that
 * every signature of the envelope is in the entry; `payload-only` where the entry names none. The log is not contacted, and its promise (the signed
 * entry timestamp) is not checked. Entries of a kind or with a hash
 * that is not known are `unreadable`.
 */
export async function logEntryFit(
  { canonicalizedBody }: LogEntry,
  envelope: Envelope,
  subtle: SubtleCrypto,
): Promise<LogEntryFit> {
  const entry = readBody(canonicalizedBody)
  if (!entry) return 'unreadable'
  const { payload, payloadType, signatures } = envelope
  const signed = entry.isOverPae ? pae(payloadType, payload) : new Uint8Array(payload)
  const hash = new Uint8Array(await subtle.digest(entry.algorithm, signed))
  if (!sameBytes(hash, entry.hash)) return 'other-payload'
  if (entry.signatures.length === 0) return 'payload-only'
  if (signatures.length === 0) return 'other-signature'
  const isLogged = (sig: Uint8Array) => entry.signatures.some((logged) => sameBytes(logged, sig))
  return signatures.every(({ sig }) => sig && isLogged(sig)) ? 'fits' : 'other-signature'
}

interface Logged {
  readonly algorithm: Hash
  readonly hash: Uint8Array
}

interface Body extends Logged {
  /** The hash is of the PAE instead of the payload. */
  readonly isOverPae: boolean
  readonly signatures: readonly Uint8Array[]
}

/** The kinds of entries of Rekor 1 and 2 in which envelopes are logged, by where they have what. */
function readBody(base64: string): Body | undefined {
  const spec = at(parse(base64), 'spec')
  const dsse2 = at(spec, 'dsseV002')
  const hashed2 = at(spec, 'hashedRekordV002')
  const inToto = at(spec, 'content')
  if (dsse2 !== undefined) {
    return body(
      hash2(at(dsse2, 'payloadHash')),
      list(at(dsse2, 'signatures')).map((item) => ofBase64(at(item, 'content'))),
    )
  }
  if (hashed2 !== undefined) {
    return body(
      hash2(at(hashed2, 'data')),
      [ofBase64(at(at(hashed2, 'signature'), 'content'))],
      true,
    )
  }
  if (inToto !== undefined) {
    const hash = hash1(at(inToto, 'payloadHash'))
    // The log put the base64 of the envelope into base64 once more.
    const twice = (item: unknown) => ofBase64(textOf(ofBase64(at(item, 'sig'))))
    const envelope = at(inToto, 'envelope')
    // Version 0.0.1 kept the hashes alone.
    if (envelope === undefined) return hash && { ...hash, isOverPae: false, signatures: [] }
    return body(hash, list(at(envelope, 'signatures')).map(twice))
  }
  if (at(spec, 'payloadHash') !== undefined) {
    return body(
      hash1(at(spec, 'payloadHash')),
      list(at(spec, 'signatures')).map((item) => ofBase64(at(item, 'signature'))),
    )
  }
  return body(
    hash1(at(at(spec, 'data'), 'hash')),
    [ofBase64(at(at(spec, 'signature'), 'content'))],
    true,
  )
}

/** A hash of Rekor 1, in hex. */
function hash1(node: unknown): Logged | undefined {
  return logged(ofHex(at(node, 'value')), rekorHashes.get(at(node, 'algorithm') ?? 'sha256'))
}

/** A hash of Rekor 2, in base64. */
function hash2(node: unknown): Logged | undefined {
  return logged(
    ofBase64(at(node, 'digest')),
    protobufHashes.get(at(node, 'algorithm') ?? 'SHA2_256'),
  )
}

const rekorHashes: ReadonlyMap<unknown, Hash> = new Map([
  ['sha256', 'SHA-256'],
  ['sha384', 'SHA-384'],
  ['sha512', 'SHA-512'],
])

function logged(hash: Uint8Array | undefined, algorithm: Hash | undefined): Logged | undefined {
  return hash && algorithm && { algorithm, hash }
}

function body(
  hash: Logged | undefined,
  signatures: readonly (Uint8Array | undefined)[],
  isOverPae = false,
): Body | undefined {
  const read = signatures.filter((signature) => signature !== undefined)
  return hash && read.length > 0 ? { ...hash, isOverPae, signatures: read } : undefined
}

function parse(base64: string): unknown {
  try {
    return JSON.parse(textOf(ofBase64(base64)) ?? '')
  } catch {
    return undefined
  }
}

function at(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return new Map<string, unknown>(Object.entries(value)).get(name)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function ofBase64(text: unknown): Uint8Array | undefined {
  const decoded = typeof text === 'string' ? decodeBase64(text) : undefined
  return decoded?.ok && decoded.bytes.length > 0 ? decoded.bytes : undefined
}

function ofHex(text: unknown): Uint8Array | undefined {
  return typeof text === 'string' && text !== '' ? bytesOfHex(text) : undefined
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && new TextDecoder().decode(bytes)
}
