import { certificateBytes } from '../keys/identity.ts'
import { sameBytes } from './bytes.ts'
import type { Envelope, InclusionProof, LogEntry } from './envelope.ts'
import { mistake, warning, type Finding } from './finding.ts'
import {
  anyProperty,
  atPath,
  childrenOf,
  type JsonTree,
  kindOf,
  noNode,
  property,
  sourceOf,
  stringOf,
  textAt,
  textsIn,
} from './json-tree.ts'
import { bareEnvelope, type EnvelopeReading, readEnvelope, readPayload } from './read-envelope.ts'
import { readBareSignature } from './read-signatures.ts'
import { findDuplicate, placeOf, type Source } from './source.ts'
import { inQuotes } from './visible-text.ts'

/**
 * Reads a Sigstore bundle of any version (0.1 to 0.3, camel or snake case): its DSSE envelope, the
 * certificate chain or public key hint, the log entries and timestamps, none of them checked here.
 */
export function readBundle(source: Source, node: number): EnvelopeReading {
  const { tree } = source
  const duplicate = findDuplicate(source, node, [
    'dsseEnvelope',
    'messageSignature',
    'verificationMaterial',
  ])
  const ambiguous = duplicate ?? secondContent(source, node) ?? repeatedMaterial(source, node)
  if (ambiguous) return { ok: false, mistakes: [ambiguous] }
  const inner = anyProperty(tree, node, 'dsseEnvelope', 'dsse_envelope')
  if (kindOf(tree, inner) !== 'object') {
    const message = 'The bundle\'s "dsseEnvelope" isn\'t an object.'
    return { ok: false, mistakes: [mistake('no-envelope', message, placeOf(source, inner))] }
  }
  const read = readEnvelope(source, inner)
  if (!read.ok) return read
  const material = materialIn(tree, node)
  const envelope: Envelope = {
    ...read.envelope,
    ...material,
    source: 'bundle',
    mediaType: textAt(tree, node, 'mediaType') ?? textAt(tree, node, 'media_type'),
  }
  return {
    ...read,
    envelope,
    findings: [...read.findings, ...bundleFindings(source, node, envelope)],
  }
}

/**
 * Reads the object of PEP 740 (`{version, verification_material, envelope: {statement, signature}}`):
 * its payload type is always that of in-toto, and its one signature is by the certificate.
 */
export function readPep740(source: Source, node: number): EnvelopeReading {
  const { tree } = source
  const inner = property(tree, node, 'envelope')
  const duplicate = findDuplicate(source, inner, ['statement', 'signature'])
  const statement = property(tree, inner, 'statement')
  const payload = readPayload(source, inner, statement)
  const ambiguous = duplicate ?? repeatedMaterial(source, node)
  const mistakes = [...(ambiguous ? [ambiguous] : []), ...(payload.ok ? [] : [payload.mistake])]
  if (!payload.ok || ambiguous) return { ok: false, mistakes }
  const signatureNode = property(tree, inner, 'signature')
  const read = readBareSignature(source, inner, signatureNode)
  const envelope: Envelope = {
    ...bareEnvelope,
    ...materialIn(tree, node),
    source: 'pep740',
    payloadType: 'application/vnd.in-toto+json',
    payload: payload.bytes,
    signatures: [read.signature],
    unverifiable: payload.unverifiable,
  }
  const findings = [...payload.findings, ...read.findings]
  const isObject = payload.unverifiable !== undefined
  return { ok: true, envelope, findings, payloadNode: isObject ? statement : noNode }
}

/**
 * The format has either an envelope or the signature of a file (Sigstore bundle, `oneof content`): of
 * both, each program takes the one that it knows, and what one has verified is not what another shows.
 */
function secondContent(source: Source, node: number): Finding | undefined {
  const second = anyProperty(source.tree, node, 'messageSignature', 'message_signature')
  if (!isSet(source.tree, second)) return undefined
  const message =
    'The bundle contains both an envelope ("dsseEnvelope") and a file signature ("messageSignature"). Only one is allowed, and programs differ on which one they use, so neither is shown.'
  return mistake('bundle-two-contents', message, placeOf(source, second))
}

/** A part of the material that stands twice: programs would differ on who signed. */
function repeatedMaterial(source: Source, node: number): Finding | undefined {
  const { tree } = source
  const material = materialAt(tree, node)
  const { single, chain, key } = signerParts(tree, material)
  const parts = [
    material,
    single,
    chain,
    key,
    ...childrenOf(tree, property(tree, chain, 'certificates')),
  ]
  return parts
    .map((part) => findDuplicate(source, part, signerNames))
    .find((found) => found !== undefined)
}

const signerNames = 'certificate x509CertificateChain certificates publicKey rawBytes hint'.split(
  ' ',
)

function signerParts(tree: JsonTree, material: number) {
  return {
    single: anyProperty(tree, material, 'certificate'),
    chain: anyProperty(tree, material, 'x509CertificateChain', 'x509_certificate_chain'),
    key: anyProperty(tree, material, 'publicKey', 'public_key'),
  }
}

/** Protobuf's JSON may write null for what is not there. */
function isSet(tree: JsonTree, node: number): boolean {
  return node !== noNode && kindOf(tree, node) !== 'null'
}

function materialAt(tree: JsonTree, node: number): number {
  return anyProperty(tree, node, 'verificationMaterial', 'verification_material')
}

function materialIn(tree: JsonTree, node: number) {
  const material = materialAt(tree, node)
  const { single, chain, key } = signerParts(tree, material)
  const timestamps = anyProperty(
    tree,
    material,
    'timestampVerificationData',
    'timestamp_verification_data',
  )
  // Version 0.1 had the log entries in an object of their own.
  const data = property(tree, node, 'verificationData')
  return {
    certificates: [
      ...optional(stringOf(tree, single) ?? rawBytes(tree, single)),
      ...eachOf(tree, property(tree, chain, 'certificates'), (child) => rawBytes(tree, child)),
    ],
    publicKeyHint: textAt(tree, key, 'hint'),
    publicKey: rawBytes(tree, key),
    logEntries: [
      ...logEntries(
        tree,
        anyProperty(tree, material, 'tlogEntries', 'tlog_entries', 'transparency_entries'),
      ),
      ...logEntries(tree, property(tree, data, 'tlogEntries')),
    ],
    timestamps: eachOf(
      tree,
      anyProperty(tree, timestamps, 'rfc3161Timestamps', 'rfc3161_timestamps'),
      (child) => textAt(tree, child, 'signedTimestamp') ?? textAt(tree, child, 'signed_timestamp'),
    ),
  }
}

function rawBytes(tree: JsonTree, node: number): string | undefined {
  return stringOf(tree, anyProperty(tree, node, 'rawBytes', 'raw_bytes'))
}

function optional(text: string | undefined): string[] {
  return text === undefined ? [] : [text]
}

/** What is found in each element of an array, up to a thousand; nothing for what is no array. */
function eachOf<Found>(
  tree: JsonTree,
  node: number,
  find: (child: number) => Found | undefined,
): Found[] {
  const all: Found[] = []
  if (kindOf(tree, node) !== 'array') return all
  for (const child of childrenOf(tree, node)) {
    const found = find(child)
    if (found !== undefined) all.push(found)
    if (all.length === mostMaterial) break
  }
  return all
}

const mostMaterial = 1_000

function logEntries(tree: JsonTree, node: number): LogEntry[] {
  return eachOf(tree, node, (entry) => {
    const text = (...path: readonly string[]) => plainText(tree, atPath(tree, entry, ...path))
    return {
      logIndex: text('logIndex') ?? text('log_index') ?? '',
      logId: text('logId', 'keyId') ?? text('log_id', 'key_id') ?? '',
      kind: text('kindVersion', 'kind') ?? text('kind_version', 'kind') ?? '',
      version: text('kindVersion', 'version') ?? text('kind_version', 'version') ?? '',
      integratedTime: text('integratedTime') ?? text('integrated_time'),
      canonicalizedBody: text('canonicalizedBody') ?? text('canonicalized_body') ?? '',
      promise:
        text('inclusionPromise', 'signedEntryTimestamp') ??
        text('inclusion_promise', 'signed_entry_timestamp'),
      proof: inclusionProof(tree, anyProperty(tree, entry, 'inclusionProof', 'inclusion_proof')),
    }
  })
}

function inclusionProof(tree: JsonTree, node: number): InclusionProof | undefined {
  if (kindOf(tree, node) !== 'object') return undefined
  const text = (...names: readonly [string, ...string[]]) =>
    plainText(tree, anyProperty(tree, node, ...names)) ?? ''
  return {
    logIndex: text('logIndex', 'log_index'),
    treeSize: text('treeSize', 'tree_size'),
    rootHash: text('rootHash', 'root_hash'),
    hashes: textsIn(tree, property(tree, node, 'hashes')),
    checkpoint: textAt(tree, node, 'checkpoint', 'envelope'),
  }
}

/** Numbers are strings in protobuf's JSON, but not all who write it know. */
function plainText(tree: JsonTree, node: number): string | undefined {
  return kindOf(tree, node) === 'number' ? sourceOf(tree, node) : stringOf(tree, node)
}

function bundleFindings(source: Source, node: number, envelope: Envelope): Finding[] {
  const findings: Finding[] = []
  const at = placeOf(source, node)
  const count = envelope.signatures.length
  if (count > 1) {
    const message = `The bundle has ${count} signatures, but the Sigstore bundle format requires exactly one.`
    findings.push(warning('bundle-signature-count', message, at))
  }
  const ways = signerFields.filter((names) =>
    isSet(source.tree, anyProperty(source.tree, materialAt(source.tree, node), ...names)),
  )
  if (ways.length > 1) {
    const names = ways.map(([name]) => `"${name}"`).join(' and ')
    const message = `The bundle identifies its signer in ${ways.length} ways (${names}). The format requires one, and programs differ on which one they use.`
    findings.push(warning('bundle-several-signers', message, at))
  }
  const [leaf] = envelope.certificates
  const foreign = envelope.signatures.find(
    ({ certificate }) =>
      leaf !== undefined && certificate !== undefined && !isSameCertificate(certificate, leaf),
  )
  if (foreign !== undefined) {
    const message = `Signature ${foreign.index + 1} has a certificate that isn't the bundle's. It counts for nothing, though programs differ on which one they use.`
    findings.push(warning('bundle-several-signers', message, at))
  }
  const { mediaType = '' } = envelope
  if (mediaType !== '' && !knownVersion.test(mediaType)) {
    const message = `The bundle's version is unknown (media type ${inQuotes(mediaType)}). It is read like versions 0.1 to 0.3; anything else in it isn't shown or checked.`
    findings.push(warning('bundle-version-unknown', message, at))
  }
  const hasKey = envelope.publicKeyHint !== undefined || envelope.publicKey !== undefined
  if (envelope.certificates.length === 0 && !hasKey) {
    const message = 'The bundle has no certificate or key for its signature.'
    findings.push(warning('bundle-without-certificate', message, at))
  }
  return findings
}

const knownVersion =
  /^application\/vnd\.dev\.sigstore\.bundle(?:\.v0\.3\+json|\+json; ?version="?0\.[123]"?)$/

function isSameCertificate(one: string, other: string): boolean {
  const [left, right] = [certificateBytes(one), certificateBytes(other)]
  return left !== undefined && right !== undefined && sameBytes(left, right)
}

const signerFields = [
  ['certificate'],
  ['x509CertificateChain', 'x509_certificate_chain'],
  ['publicKey', 'public_key'],
] as const
