import { decodeBase64 } from '../decode/base64.ts'
import { bytesOfHex, sameBytes } from '../decode/bytes.ts'
import type { Envelope, LogEntry } from '../decode/envelope.ts'
import { pae } from './pae.ts'

/** Whether a transparency log entry is about the envelope that brings it. */
export type LogEntryFit =
  'fits' | 'payload-only' | 'other-payload' | 'other-signature' | 'unreadable'

/**
 * Compares what a log entry says of itself with the envelope: the hash of what was signed, and that
 * every signature of the envelope is in the entry; `payload-only` where the entry names none. The log is not contacted, and its promise (the signed
 * entry timestamp) is not checked. Entries of a kind that is not known are `unreadable`.
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
  const hash = new Uint8Array(await subtle.digest('SHA-256', signed))
  if (!sameBytes(hash, entry.hash)) return 'other-payload'
  if (entry.signatures.length === 0) return 'payload-only'
  if (signatures.length === 0) return 'other-signature'
  const isLogged = (sig: Uint8Array) => entry.signatures.some((logged) => sameBytes(logged, sig))
  return signatures.every(({ sig }) => sig && isLogged(sig)) ? 'fits' : 'other-signature'
}

interface Body {
  readonly hash: Uint8Array
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
    const hash = ofBase64(at(at(dsse2, 'payloadHash'), 'digest'))
    return body(
      hash,
      list(at(dsse2, 'signatures')).map((item) => ofBase64(at(item, 'content'))),
    )
  }
  if (hashed2 !== undefined) {
    const hash = ofBase64(at(at(hashed2, 'data'), 'digest'))
    return body(hash, [ofBase64(at(at(hashed2, 'signature'), 'content'))], true)
  }
  if (inToto !== undefined) {
    const hash = ofHex(at(at(inToto, 'payloadHash'), 'value'))
    // The log put the base64 of the envelope into base64 once more.
    const twice = (item: unknown) => ofBase64(textOf(ofBase64(at(item, 'sig'))))
    const envelope = at(inToto, 'envelope')
    // Version 0.0.1 kept the hashes alone.
    if (envelope === undefined) return hash && { hash, isOverPae: false, signatures: [] }
    return body(hash, list(at(envelope, 'signatures')).map(twice))
  }
  if (at(spec, 'payloadHash') !== undefined) {
    const hash = ofHex(at(at(spec, 'payloadHash'), 'value'))
    return body(
      hash,
      list(at(spec, 'signatures')).map((item) => ofBase64(at(item, 'signature'))),
    )
  }
  const hash = ofHex(at(at(at(spec, 'data'), 'hash'), 'value'))
  return body(hash, [ofBase64(at(at(spec, 'signature'), 'content'))], true)
}

function body(
  hash: Uint8Array | undefined,
  signatures: readonly (Uint8Array | undefined)[],
  isOverPae = false,
): Body | undefined {
  const read = signatures.filter((signature) => signature !== undefined)
  return hash && read.length > 0 ? { hash, isOverPae, signatures: read } : undefined
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
