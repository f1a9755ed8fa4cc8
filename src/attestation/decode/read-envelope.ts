import { decodeBase64 } from './base64.ts'
import type { Envelope } from './envelope.ts'
import { type Finding, mistake, note, placeInWords, warning } from './finding.ts'
import {
  anyProperty,
  endOf,
  type JsonTree,
  kindOf,
  noNode,
  property,
  sourceOf,
  startOf,
  stringOf,
} from './json-tree.ts'
import { readSignatures } from './read-signatures.ts'
import {
  base64Findings,
  extraFields,
  findDuplicate,
  placeInText,
  placeOf,
  type Source,
} from './source.ts'
import { inQuotes } from './visible-text.ts'

export type EnvelopeReading =
  | {
      readonly ok: true
      readonly envelope: Envelope
      readonly findings: readonly Finding[]
      /** Where older services put the payload as an object: its node; else `noNode`. */
      readonly payloadNode: number
    }
  | { readonly ok: false; readonly mistakes: readonly Finding[] }

/**
 * Reads the DSSE envelope at a node: `payload`, `payloadType` and `signatures`, each required even if
 * empty (DSSE v1.0.2), each at most once, since programs that differ on duplicates would differ on what
 * was signed. Everything that keeps it from being read is reported at once.
 */
export function readEnvelope(source: Source, node: number): EnvelopeReading {
  const { tree } = source
  const duplicate = findDuplicate(source, node, ['payload', 'payloadType', 'signatures'])
  const payloadType = stringOf(tree, payloadTypeAt(tree, node))
  const payloadNode = property(tree, node, 'payload')
  const payload = readPayload(source, node, payloadNode)
  const signatures = readSignatures(source, node, property(tree, node, 'signatures'))
  const isTyped = payloadType !== undefined && !/\p{Surrogate}/u.test(payloadType)
  if (duplicate || !isTyped || !payload.ok || !signatures.ok) {
    const mistakes = [
      ...(duplicate ? [duplicate] : []),
      ...(isTyped ? [] : [payloadTypeMissing(source, node)]),
      ...(payload.ok ? [] : [payload.mistake]),
      ...(signatures.ok ? [] : [signatures.mistake]),
    ]
    return { ok: false, mistakes }
  }
  const extra = extraFields(source, node, 'envelope', fields)
  const envelope: Envelope = {
    ...bareEnvelope,
    payloadType,
    payload: payload.bytes,
    signatures: signatures.signatures,
    unverifiable: payload.unverifiable,
    extraFields: extra.names,
  }
  const findings = [
    ...payload.findings,
    ...typeFindings(source, node, payloadType),
    ...signatures.findings,
    ...extra.findings,
  ]
  const isObject = payload.unverifiable !== undefined
  return { ok: true, envelope, findings, payloadNode: isObject ? payloadNode : noNode }
}

/** What an envelope has that came without a bundle around it. */
export const bareEnvelope = {
  source: 'envelope',
  certificates: [],
  mediaType: undefined,
  publicKeyHint: undefined,
  publicKey: undefined,
  logEntries: [],
  timestamps: [],
  unverifiable: undefined,
  extraFields: [],
} as const

const fields: ReadonlySet<string> = new Set([
  'payload',
  'payloadType',
  'payload_type',
  'signatures',
])

/** Writers of snake case mean the same field; one that stands in both spellings is refused. */
function payloadTypeAt(tree: JsonTree, envelope: number): number {
  return anyProperty(tree, envelope, 'payloadType', 'payload_type')
}

function payloadTypeMissing(source: Source, envelope: number): Finding {
  const node = payloadTypeAt(source.tree, envelope)
  const isMissing = node === noNode
  // Half a character (a lone surrogate) is U+FFFD in UTF-8: a signature of another type would fit.
  const isnt = stringOf(source.tree, node) === undefined ? 'text' : 'valid Unicode'
  const message = isMissing
    ? 'The envelope has no "payloadType", which is part of what was signed.'
    : `The "payloadType", which is part of what was signed, isn't ${isnt}.`
  return mistake('payload-type-missing', message, placeOf(source, isMissing ? envelope : node))
}

function typeFindings(source: Source, envelope: number, payloadType: string): Finding[] {
  const at = placeOf(source, payloadTypeAt(source.tree, envelope))
  const findings: Finding[] = []
  if (property(source.tree, envelope, 'payloadType') === noNode) {
    const message =
      'The envelope has "payload_type" instead of "payloadType". Strict programs reject it.'
    findings.push(warning('envelope-snake-case', message, at))
  }
  if (!/^application\/vnd\.in-toto(?:\.[^+]+)?\+json$/.test(payloadType)) {
    const message = `The payload type is ${inQuotes(payloadType)}, not "application/vnd.in-toto+json".`
    findings.push(note('payload-type-unusual', message, at))
  }
  return findings
}

export type PayloadReading =
  | {
      readonly ok: true
      readonly bytes: Uint8Array
      readonly findings: readonly Finding[]
      readonly unverifiable: string | undefined
    }
  | { readonly ok: false; readonly mistake: Finding }

/**
 * Reads the base64 payload at `node`, a member of the object `owner`. An object in its place, as older
 * services wrote it, is let through without bytes: it can be shown and never be verified.
 */
export function readPayload(source: Source, owner: number, node: number): PayloadReading {
  const { tree } = source
  if (node === noNode) {
    const message = 'The envelope has no "payload", so the signed content is missing.'
    return { ok: false, mistake: mistake('payload-missing', message, placeOf(source, owner)) }
  }
  const at = placeOf(source, node)
  if (kindOf(tree, node) === 'object') {
    const unverifiable =
      'The payload is an object instead of base64. The signed bytes are missing, so no signature can be checked.'
    const findings = [warning('payload-is-object', unverifiable, at)]
    return { ok: true, bytes: new Uint8Array(), findings, unverifiable }
  }
  const text = stringOf(tree, node)
  if (text === undefined) {
    const message = `The payload is ${sourceOf(tree, node).slice(0, 40)}, but must be base64 in quotes.`
    return { ok: false, mistake: mistake('payload-not-text', message, at) }
  }
  const decoded = decodeBase64(text, codesOf(source, node, text))
  if (!decoded.ok) {
    const wrong = placeInText(source, node, decoded.offset)
    const message = `The payload isn't base64: at ${placeInWords(wrong)} (its character ${decoded.offset}) ${decoded.problem}.`
    return { ok: false, mistake: mistake('payload-not-base64', message, wrong) }
  }
  const findings = base64Findings('payload-base64-unusual', 'The payload', decoded.quirks, at)
  return { ok: true, bytes: decoded.bytes, findings, unverifiable: undefined }
}

/** The characters of a string value, where they stand in the source as they are. */
function codesOf({ tree, codes }: Source, node: number, text: string): Uint8Array | undefined {
  const start = startOf(tree, node) + 1
  const end = endOf(tree, node) - 1
  return end - start === text.length ? codes?.subarray(start, end) : undefined
}
